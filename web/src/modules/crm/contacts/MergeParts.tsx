import { Link } from '@tanstack/react-router'
import { errorText } from '@/api/message'
import { formatDateTime, useI18n } from '@/i18n'
import { Avatar } from '@/ui/Avatar'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { contactLine } from './contactLine'
import { useMerges, useUndoMerge, type Contact } from './contacts'
import { reasonTexts, useDuplicates } from './duplicates'

/** Other records that may be the same person, with the way to merge them. */
export function Duplicates({ contact, onMerge }: { contact: Contact; onMerge: (other: Contact) => void }) {
  const { t } = useI18n()
  const found = useDuplicates(contact.id).data ?? []
  if (found.length === 0 || contact.merged_into_id) return null
  return (
    <Notice className="mb-5" title={t('contacts.duplicates')}>
      <ul className="mt-1 flex flex-col gap-1.5">
        {found.map(({ contact: other, reasons }) => (
          <li key={other.id} className="flex flex-wrap items-center gap-2">
            <Avatar name={other.name} id={other.id} size="sm" />
            <Link to="/contacts/$contactId" params={{ contactId: other.id }} className="min-w-0 flex-1 truncate underline-offset-3 hover:underline">
              {other.name} <span className="text-ink-2">{[contactLine(other), ...reasons.map((reason) => t(reasonTexts[reason]))].filter(Boolean).join(' · ')}</span>
            </Link>
            <Button size="sm" onClick={() => onMerge(other)} aria-label={t('contacts.mergeOne', { name: other.name })}>
              {t('contacts.merge.action')}
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** The contacts that were merged into this one, each with the way to undo it. */
export function Merges({ contactId, canManage }: { contactId: string; canManage: boolean }) {
  const { t } = useI18n()
  const merges = useMerges(contactId)
  const undo = useUndoMerge()
  if (merges.rows.length === 0) return null
  return (
    <Card title={t('contacts.merges')}>
      <ul className="flex flex-col gap-2 text-sm">
        {merges.rows.map((merge) => (
          <li key={merge.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              {t('contacts.mergedAt', { when: formatDateTime(merge.merged_at) })}
              {merge.undone_at && <span className="block text-sm text-ink-2">{t('contacts.undoneAt', { when: formatDateTime(merge.undone_at) })}</span>}
            </span>
            {canManage && !merge.undone_at && (
              <Button
                size="sm"
                busy={undo.isPending}
                onClick={() =>
                  undo.mutate(merge.id, {
                    onSuccess: () => toast('ok', t('contacts.undone')),
                    onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
                  })
                }
              >
                {t('contacts.undo')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
