import type { ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { Button } from './Button'
import { FailureText } from './FailureText'
import { tryAgain } from './focusHome'
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

/**
 * The four states of every list: loading, failed, empty, loaded. Old rows stay after a failed
 * refresh.
 */
export function QueryState({ isPending, error, isEmpty, empty, retry, children }: QueryStateProps) {
  const { t } = useI18n()
  if (isPending) return <SkeletonRows />
  return (
    <>
      {error != null && (
        <Notice
          tone="danger"
          className="mb-4"
          action={
            <Button size="sm" onClick={tryAgain(retry)}>
              {t('common.retry')}
            </Button>
          }
        >
          <FailureText error={error} />
        </Notice>
      )}
      {isEmpty ? error == null && empty : children}
    </>
  )
}
