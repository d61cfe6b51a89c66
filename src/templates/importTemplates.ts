/** Loads the templates and a YAML parser when a template is used or a template file is opened. */
export const loadTemplates = () => import('./templateFeature.ts');
