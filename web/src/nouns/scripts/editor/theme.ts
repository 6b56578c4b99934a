/** The look of the editor: the console's own tokens, so both themes come by themselves. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool], color: 'var(--code-kw)' },
  { tag: [tags.string, tags.character], color: 'var(--code-str)' },
  { tag: tags.number, color: 'var(--code-num)' },
  { tag: tags.function(tags.variableName), color: 'var(--code-key)' },
  { tag: [tags.lineComment, tags.blockComment, tags.docComment], color: 'var(--code-note)' },
  { tag: tags.meta, color: 'var(--accent)', fontWeight: '500' },
]);

const chrome = EditorView.theme({
  '&': { height: '100%', maxHeight: 'var(--cm-most, none)', font: 'var(--m-12)', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', fontVariantLigatures: 'none', fontFeatureSettings: '"calt" 0', overflow: 'auto' },
  '.cm-content': { padding: '12px 0', minHeight: 'var(--cm-least, 0)', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px 0 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '1.5px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'light-dark(#bfe3e5, #1f5a60)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-3)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '44px', padding: '0 12px 0 0' },
  '.cm-lineNumbers .cm-wrong-number, .cm-lineNumbers .cm-wrong-number.cm-activeLineGutter': { color: 'var(--bad)', fontWeight: '600' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-line-error': { backgroundColor: 'var(--bad-wash)' },
  '.cm-line-warning': { backgroundColor: 'var(--warn-wash)' },
  '.cm-under': { textDecoration: 'underline wavy 1px', textUnderlineOffset: '3px' },
  '.cm-under-error': { textDecorationColor: 'var(--bad)' },
  '.cm-under-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-said': {
    display: 'flex',
    gap: '6px',
    padding: '4px 12px 8px 0',
    font: 'var(--t-12)',
    whiteSpace: 'normal',
    position: 'sticky',
    left: '44px',
    maxWidth: 'var(--cm-room, 100%)',
  },
  '.cm-said > span': { minWidth: '0', overflowWrap: 'anywhere' },
  '.cm-said-error': { color: 'var(--bad)' },
  '.cm-said-warning': { color: 'var(--warn)' },
  '.cm-said svg': {
    width: '14px',
    height: '14px',
    marginTop: '1px',
    flex: 'none',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '1.5',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)', outline: '1px solid var(--line-strong)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--bad)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--mark)', outline: '1px solid var(--warn)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--selected)' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
});

const floats = EditorView.theme({
  '.cm-tooltip': {
    border: '0',
    borderRadius: 'var(--r-3)',
    backgroundColor: 'var(--raised)',
    boxShadow: 'var(--shadow-2)',
    color: 'var(--ink)',
    font: 'var(--t-12)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: 'var(--m-12)', maxHeight: '220px', padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', borderRadius: 'var(--r-1)', color: 'var(--ink-2)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--selected)', color: 'var(--ink)' },
  '.cm-completionLabel': { color: 'var(--ink)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: 'var(--accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--ink-3)' },
  '.cm-completionIcon': { color: 'var(--ink-3)', opacity: '1' },
  '.cm-completionInfo': { padding: '8px 12px', maxWidth: '340px', whiteSpace: 'normal' },
  '.cm-about': { display: 'grid', gap: '4px', padding: '8px 12px', maxWidth: '400px' },
  '.cm-completionInfo .cm-about': { padding: '0' },
  '.cm-about-code': { font: 'var(--m-12)', overflowWrap: 'anywhere' },
  '.cm-about-example': { color: 'var(--code-note)' },
  '.cm-panels': { backgroundColor: 'var(--canvas)', color: 'var(--ink)', font: 'var(--t-12)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': { border: '1px solid var(--line-control)', borderRadius: 'var(--r-2)', backgroundColor: 'var(--surface)', font: 'var(--t-12)' },
  '.cm-button': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-2)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    font: 'var(--t-12)',
  },
});

export const look = [chrome, floats, syntaxHighlighting(colours)];
