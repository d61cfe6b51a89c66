/** Loads the templates, with a YAML parser, once a template is used or a template file is opened. */
export const loadTemplates = () => import('./templateFeature.ts');
