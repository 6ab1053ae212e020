import type { ReactNode } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from './Button'
import { Notice } from './Notice'
import { SkeletonRows } from './Skeleton'

interface QueryStateProps {
  isPending: boolean
  error: unknown
  isEmpty: boolean
  empty: ReactNode
  retry: () => void
  children: ReactNode
}

/** The four faces of every list: loading, failed, empty, there. Old rows outlive a failed refresh. */
export function QueryState({ isPending, error, isEmpty, empty, retry, children }: QueryStateProps) {
  const { t } = useI18n()
  if (isPending) return <SkeletonRows />
  const trace = asApiError(error)?.traceId
  return (
    <>
      {error != null && (
        <Notice
          tone="danger"
          className="mb-4"
          action={
            <Button size="sm" onClick={retry}>
              {t('common.retry')}
            </Button>
          }
        >
          {errorText(error)}
          {trace && (
            <span className="mt-1 block text-[13px]">
              {t('errors.trace')} <span className="font-mono">{trace}</span>
            </span>
          )}
        </Notice>
      )}
      {isEmpty ? error == null && empty : children}
    </>
  )
}
