import { Mail, Phone } from 'lucide-react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toast'
import { useLinkClaim, type Contact } from './contacts'
import { openClaims } from './openClaims'

interface ClaimsProps {
  contact: Contact
  /** Called with the id of the contact that is kept. */
  onLinked?: (id: string) => void
}

/** Lists unverified claims of a customer about themselves, and lets an agent confirm them. */
export function Claims({ contact, onLinked }: ClaimsProps) {
  const { t } = useI18n()
  const canLink = meets(useMe(), { permission: 'crm.contacts.manage' })
  const link = useLinkClaim(contact.id)
  const open = openClaims(contact)
  if (open.length === 0) return null
  return (
    <ul aria-label={t('inbox.claims')} className="mt-2 flex flex-col gap-2 text-ink-2">
      {open.map((claim) => {
        const Icon = claim.kind === 'email' ? Mail : Phone
        return (
          <li key={claim.id} className="flex items-start gap-2">
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
            <span className="min-w-0 flex-1">
              <span className="block break-all">{claim.value}</span>
              <span className="block text-sm text-warn-ink">
                {claim.match ? t('inbox.claim.matches', { name: claim.match.name }) : t('inbox.claim.unverified')}
              </span>
            </span>
            {canLink && (
              <Button
                size="sm"
                busy={link.isPending}
                aria-label={t('inbox.claim.linkOne', { value: claim.value })}
                onClick={() =>
                  link.mutate(claim.id, {
                    onSuccess: (linked) => {
                      toast('ok', t('inbox.claim.linked', { name: linked.contact.name }))
                      onLinked?.(linked.contact.id)
                    },
                    onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
                  })
                }
              >
                {t('inbox.claim.link')}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
