import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'

/** Shows what went wrong, and the trace id by which operators find it. */
export function FailureText({ error }: { error: unknown }) {
  const { t } = useI18n()
  const trace = asApiError(error)?.traceId
  return (
    <>
      {errorText(error)}
      {trace && (
        <span className="mt-1 block text-sm">
          {t('errors.trace')} <span className="font-mono">{trace}</span>
        </span>
      )}
    </>
  )
}
