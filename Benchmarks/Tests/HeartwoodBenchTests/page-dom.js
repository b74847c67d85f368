// Runs the script of a page in a small part of the DOM, and prints the document as XML: node page-dom.js PAGE
"use strict";

class Part {
  constructor(tagName) { Object.assign(this, { tagName, attributes: {}, dataset: {}, childNodes: [] }); }
  get children() { return this.childNodes.filter((child) => child instanceof Part); }
  get id() { return this.attributes.id; }
  get textContent() { return this.childNodes.map((child) => child.textContent ?? child).join(""); }
  set textContent(text) { this.childNodes = [text]; }
  setAttribute(name, value) { this.attributes[name] = value; }
  append(child) {
    this.childNodes.push(child);
    if (child instanceof Part) child.parent = this;
  }
  remove() { this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 1); }
  addEventListener() {}
  find(id) {
    if (this.id === id) return this;
    return this.children.reduce((found, child) => found ?? child.find(id), null);
  }
  xml() {
    const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
    const isCode = ["script", "style"].includes(this.tagName);
    const content = this.childNodes.map((child) => child instanceof Part ? child.xml() : isCode ? "" : escape(child));
    return `<${this.tagName}${attributes}>${content.join("")}</${this.tagName}>`;
  }
}

// Text within scripts and styles is not parsed, as in a browser.
function parse(html) {
  const top = new Part("document");
  const tokens = /<(script|style)([^>]*)>([^]*?)<\/\1>|<(\/?)([a-z0-9]+)([^>]*?)(\/?)>|<!DOCTYPE html>|[^<]+|[^]/g;
  let at = top;
  for (const [text, code, codeAttributes, content, end, name, attributes, isEmpty] of html.matchAll(tokens)) {
    if (text === "<!DOCTYPE html>") continue;
    if (text === "<") throw new Error("the template has '<' in its text");
    if (end) at = at.parent;
    else if (code || name) {
      const part = new Part(code ?? name);
      for (const [, key, value] of (codeAttributes ?? attributes).matchAll(/([\w-]+)="([^"]*)"/g)) {
        part.setAttribute(key, value);
      }
      at.append(part);
      if (code) part.append(content);
      else if (!isEmpty) at = part;
    } else at.append(text);
  }
  return top.children[0];
}

const root = parse(require("node:fs").readFileSync(process.argv[2], "utf8"));
globalThis.document = {
  documentElement: root, getElementById: (id) => root.find(id),
  createElement: (name) => new Part(name), createElementNS: (space, name) => new Part(name),
};
const script = root.children[1].children.find((part) => part.tagName === "script" && !part.attributes.type);
new Function(script.textContent)();
process.stdout.write(root.xml());
