import type { Schemas } from '@/api/client'
import { asApiError, type ApiError } from '@/api/error'
import { useI18n, type PlainKey } from '@/i18n'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'

const names: Record<string, PlainKey> = {
  credit_card: 'rule.creditCard',
  iban: 'rule.iban',
  tckn: 'rule.tckn',
  vkn: 'rule.vkn',
  phone: 'rule.phone',
  email: 'rule.email',
  keyword: 'rule.keyword',
  regex: 'rule.regex',
  attachment_type: 'rule.file',
}

/** Lists what data-loss-prevention rules found in a message, with the confidential parts masked. */
export function RuleMatches({ error }: { error: ApiError }) {
  const { t } = useI18n()
  const matches = Array.isArray(error.matches) ? (error.matches as Schemas['ErrorMatch'][]) : []
  if (matches.length === 0) return null
  return (
    <ul aria-label={t('rule.found')} className="mt-1 list-disc pl-5">
      {matches.map(({ pattern_type: type, samples_masked: samples }, index) => (
        <li key={index} className="break-words">
          {t(names[type] ?? 'rule.regex')}
          {samples.length > 0 && <span className="font-mono">: {samples.join(', ')}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Reports whether a rule only warns, so that a reason is asked for. */
export function isWarning(error: unknown): boolean {
  return asApiError(error)?.code === 'dlp_warning'
}

/**
 * For forms: what a rule found and, if it only warns, a field for the reason, which is sent as
 * `override`.
 */
export function RuleReason({ error, missing = false }: { error: unknown; missing?: boolean }) {
  const { t } = useI18n()
  const refused = asApiError(error)
  if (!refused || !refused.code.startsWith('dlp_')) return null
  return (
    <>
      <Notice tone={isWarning(error) ? 'warn' : 'danger'}>
        {refused.message}
        <RuleMatches error={refused} />
      </Notice>
      {isWarning(error) && (
        <Field label={t('rule.reason')} hint={t('rule.reasonHint')} error={missing ? t('field.required') : null}>
          <Input name="override" maxLength={500} autoComplete="off" required />
        </Field>
      )}
    </>
  )
}
