import type { Schemas } from '@/api/client'
import type { Component, Template } from './templates'

const variable = /\{\{\s*([^{}]*?)\s*\}\}/g

/**
 * Returns a text's variables, each once: numbers in ascending order, names in order of appearance.
 */
export function variablesIn(text: string): string[] {
  const found = [...new Set([...text.matchAll(variable)].map((match) => match[1] ?? ''))]
  return found.every((name) => /^\d+$/.test(name)) ? found.sort((a, b) => Number(a) - Number(b)) : found
}

/** Returns a text with its variables filled in; a variable without a value stays as written. */
export function fillText(text: string, names: readonly string[], values: readonly string[]): string {
  return text.replace(variable, (whole, name: string) => values[names.indexOf(name)]?.trim() || whole)
}

/** Returns the number for the next variable of a text. */
export function nextVariable(text: string): number {
  return Math.max(0, ...variablesIn(text).map(Number).filter(Number.isFinite)) + 1
}

export function partOf(components: readonly Component[], type: Component['type']): Component | undefined {
  return components.find((component) => component.type === type)
}

/** What the person filled in for one template. */
export interface Values {
  header: string[]
  media: string
  fileName: string
  body: string[]
  /** Keyed by the button's index. */
  buttons: Record<number, string>
}

export const noValues: Values = { header: [], media: '', fileName: '', body: [], buttons: {} }

export function toSend(template: Template, values: Values): Schemas['TemplateUse'] {
  const { variables } = template
  return {
    template_id: template.id,
    header: variables.header.map((_, index) => values.header[index] ?? ''),
    ...(variables.header_media && { header_media: values.media.trim() }),
    ...(variables.header_media === 'DOCUMENT' && values.fileName.trim() && { header_filename: values.fileName.trim() }),
    body: variables.body.map((_, index) => values.body[index] ?? ''),
    buttons: variables.buttons.flatMap(({ index }) => (values.buttons[index] ? [{ index, value: values.buttons[index] }] : [])),
  }
}

/** Returns the reviewer's samples in the order of the variables: they show what belongs where. */
export function samplesOf(component: Component | undefined, names: readonly string[]): string[] {
  const example = component?.example
  const named = component?.type === 'HEADER' ? example?.header_text_named_params : example?.body_text_named_params
  if (named?.length) return names.map((name) => named.find((one) => one.param_name === name)?.example ?? '')
  return (component?.type === 'HEADER' ? example?.header_text : example?.body_text?.[0]) ?? []
}

/** Returns the server's field names for a filled-in template. */
export function fieldNames({ variables }: Template): string[] {
  return [
    'header_media',
    'header_filename',
    ...variables.header.map((_, index) => `header.${index}`),
    ...variables.body.map((_, index) => `body.${index}`),
    ...variables.buttons.map(({ index }) => `buttons.${index}`),
  ]
}
