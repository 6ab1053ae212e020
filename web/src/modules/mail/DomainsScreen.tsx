import { Link, useNavigate } from '@tanstack/react-router'
import { Globe, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import type { Column } from '@/ui/Table'
import { states, useAddDomain, useDeleteDomain, useDomains, type Domain } from './domains'

export function DomainsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.domains.manage' })
  const list = useDomains()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Domain | null>(null)
  const add = useAdd('domains.add', canManage, () => setAdding(true))

  const columns: Column<Domain>[] = [
    {
      id: 'domain',
      header: t('domains.domain'),
      cell: (row) => (
        <Link to="/mail/domains/$domainId" params={{ domainId: row.id }} className="font-medium break-all text-accent-ink hover:underline">
          {row.display}
        </Link>
      ),
    },
    {
      id: 'state',
      header: t('domains.state'),
      cell: (row) => (
        <Badge tone={states[row.state].tone} dot>
          {t(states[row.state].label)}
        </Badge>
      ),
    },
    { id: 'checked', header: t('domains.checked'), wide: true, cell: (row) => (row.checked_at ? <Ago at={row.checked_at} /> : <span className="text-ink-3">–</span>) },
  ]

  return (
    <>
      <ListPage
        title={t('domains.title')}
        lead={t('domains.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage && ((row: Domain) => <IconButton icon={Trash2} tone="danger" label={t('domains.deleteOne', { domain: row.display })} onClick={() => setDoomed(row)} />)
        }
        empty={{ icon: Globe, title: t('domains.empty.title'), text: t('domains.empty.text') }}
      />
      {adding && <AddDomainDialog onClose={() => setAdding(false)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function AddDomainDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const navigate = useNavigate()
  const add = useAddDomain()
  return (
    <FormDialog
      title={t('domains.add')}
      description={t('domains.addLead')}
      action={t('domains.addAction')}
      busy={add.isPending}
      error={add.error}
      fields={['domain']}
      onSubmit={(data) =>
        add.mutate(textOf(data, 'domain'), {
          onSuccess: (details) => {
            onClose()
            void navigate({ to: '/mail/domains/$domainId', params: { domainId: details.domain.id } })
          },
        })
      }
      onClose={onClose}
    >
      <Field label={t('domains.domain')} error={fieldText(add.error, 'domain', { invalid_domain: 'domains.invalid' })}>
        <Input name="domain" autoComplete="off" autoCapitalize="none" spellCheck={false} placeholder={t('domains.example')} required />
      </Field>
    </FormDialog>
  )
}

function DeleteConfirm({ row, onClose }: { row: Domain; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteDomain()}
      on={row.id}
      title={t('domains.delete.title')}
      action={t('domains.delete.action')}
      done={t('domains.delete.done', { domain: row.display })}
      onClose={onClose}
    >
      {t('domains.delete.text', { domain: row.display })}
    </ConfirmAct>
  )
}
