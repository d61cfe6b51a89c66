/**
 * The types of playwright-core mention these names of the browser. The project is checked without
 * the DOM library, so that code for Node cannot use a browser's globals by mistake.
 */
interface Node {
  readonly nodeType: number;
}
interface HTMLElement extends Node {
  readonly hidden: boolean;
}
interface SVGElement extends Node {
  readonly ownerSVGElement: SVGElement | null;
}
interface HTMLElementTagNameMap {
  readonly body: HTMLElement;
}
