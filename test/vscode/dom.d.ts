/**
 * Browser types that playwright-core's types refer to. The project is type-checked without the DOM
 * library so that code for Node can't use browser globals by mistake.
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
