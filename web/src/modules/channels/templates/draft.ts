import { partOf, samplesOf, variablesIn } from './fill'
import type { Category, Component, Template, TemplateButton } from './templates'

export type HeaderKind = 'NONE' | 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'LOCATION'

/** A button while it is being edited. */
export interface ButtonDraft {
  key: number
  type: TemplateButton['type']
  text: string
  /** The address, the number, or a sample code. */
  target: string
  /** The sample for an address that ends in a variable. */
  sample: string
}

/** A template while it is being edited: every field holds what its control shows. */
export interface Draft {
  category: Category
  header: HeaderKind
  headerText: string
  headerSample: string
  headerHandle: string
  body: string
  /** Keyed by the variable's name, so that each keeps its sample. */
  samples: Record<string, string>
  footer: string
  buttons: ButtonDraft[]
  minutes: string
  advice: boolean
}

let lastKey = 0

export function freshButton(type: TemplateButton['type']): ButtonDraft {
  lastKey += 1
  return { key: lastKey, type, text: '', target: '', sample: '' }
}

export function draftOf(template: Template | null): Draft {
  const components = template?.components ?? []
  const header = partOf(components, 'HEADER')
  const body = partOf(components, 'BODY')
  const footer = partOf(components, 'FOOTER')
  const names = variablesIn(body?.text ?? '')
  const samples = samplesOf(body, names)
  return {
    category: (template?.category ?? 'UTILITY') as Category,
    header: header?.format ?? 'NONE',
    headerText: header?.text ?? '',
    headerSample: samplesOf(header, variablesIn(header?.text ?? ''))[0] ?? '',
    headerHandle: header?.example?.header_handle?.[0] ?? '',
    body: body?.text ?? '',
    samples: Object.fromEntries(names.map((name, index) => [name, samples[index] ?? ''])),
    footer: footer?.text ?? '',
    buttons: (partOf(components, 'BUTTONS')?.buttons ?? []).map((button) => ({
      ...freshButton(button.type),
      text: button.text ?? '',
      target: button.type === 'URL' ? (button.url ?? '') : button.type === 'PHONE_NUMBER' ? (button.phone_number ?? '') : (button.example?.[0] ?? ''),
      sample: button.type === 'URL' ? (button.example?.[0] ?? '') : '',
    })),
    minutes: String(footer?.code_expiration_minutes ?? ''),
    advice: body?.add_security_recommendation ?? true,
  }
}

function buttonOf({ type, text, target, sample }: ButtonDraft): TemplateButton {
  const label = text.trim()
  switch (type) {
    case 'URL':
      return { type, text: label, url: target.trim(), ...(variablesIn(target).length > 0 && { example: [sample.trim()] }) }
    case 'PHONE_NUMBER':
      return { type, text: label, phone_number: target.trim() }
    case 'COPY_CODE':
      return { type, example: [target.trim()] }
    case 'OTP':
      return { type, otp_type: 'COPY_CODE', ...(label && { text: label }) }
    case 'QUICK_REPLY':
      return { type, text: label }
  }
}

function headerOf(draft: Draft, named: boolean): Component | null {
  switch (draft.header) {
    case 'NONE':
      return null
    case 'TEXT': {
      const [name] = variablesIn(draft.headerText)
      const sample = draft.headerSample.trim()
      const example = named ? { header_text_named_params: [{ param_name: name ?? '', example: sample }] } : { header_text: [sample] }
      return { type: 'HEADER', format: 'TEXT', text: draft.headerText.trim(), ...(name !== undefined && { example }) }
    }
    case 'LOCATION':
      return { type: 'HEADER', format: 'LOCATION' }
    default:
      return { type: 'HEADER', format: draft.header, example: { header_handle: draft.headerHandle ? [draft.headerHandle] : [] } }
  }
}

/** Returns the draft in the provider's format. */
export function componentsOf(draft: Draft, named = false): Component[] {
  if (draft.category === 'AUTHENTICATION') {
    const minutes = Number(draft.minutes)
    return [
      { type: 'BODY', add_security_recommendation: draft.advice },
      ...(minutes > 0 ? [{ type: 'FOOTER' as const, code_expiration_minutes: minutes }] : []),
      { type: 'BUTTONS', buttons: [buttonOf(draft.buttons.find((button) => button.type === 'OTP') ?? freshButton('OTP'))] },
    ]
  }
  const header = headerOf(draft, named)
  const names = variablesIn(draft.body)
  const values = names.map((name) => (draft.samples[name] ?? '').trim())
  const example = named ? { body_text_named_params: names.map((name, index) => ({ param_name: name, example: values[index] ?? '' })) } : { body_text: [values] }
  const buttons = draft.buttons.filter((button) => button.type !== 'OTP')
  return [
    ...(header ? [header] : []),
    { type: 'BODY', text: draft.body.trim(), ...(names.length > 0 && { example }) },
    ...(draft.footer.trim() ? [{ type: 'FOOTER' as const, text: draft.footer.trim() }] : []),
    ...(buttons.length > 0 ? [{ type: 'BUTTONS' as const, buttons: buttons.map(buttonOf) }] : []),
  ]
}

/** Returns the path of a part in the server's errors, which count the parts that were sent. */
export function placeOf(components: readonly Component[], type: Component['type']): string {
  return `components.${components.findIndex((component) => component.type === type)}`
}
