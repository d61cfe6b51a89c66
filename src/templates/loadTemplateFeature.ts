/** Loads the code for templates, including a YAML parser, on first use. */
export const loadTemplateFeature = () => import('./templateFeature.ts');
