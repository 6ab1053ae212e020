import { Ellipsis, MessageSquareQuote, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Input } from '@/ui/Field'
import { Menu, MenuItem } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import type { Column } from '@/ui/Table'
import { useDeleteReply, useReplyList, type CannedReply } from './replies'
import { ReplyDrawer } from './ReplyDrawer'

type Layer = { kind: 'edit'; reply: CannedReply | null } | { kind: 'delete'; reply: CannedReply }

export function RepliesScreen() {
  const { t } = useI18n()
  const canShare = meets(useMe(), { permission: 'crm.canned_replies.manage' })
  const [text, setText] = useState('')
  const q = useSettled(text).trim()
  const list = useReplyList(q)
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('replies.add', true, () => setLayer({ kind: 'edit', reply: null }))
  const searching = text !== '' || q !== ''
  const empty = !list.isPending && !list.error && list.rows.length === 0 && !searching

  const columns: Column<CannedReply>[] = [
    {
      id: 'shortcut',
      header: t('replies.shortcut'),
      cell: (row) => (
        <>
          <span className="block font-mono text-sm font-medium break-all">/{row.shortcut}</span>
          <span className="line-clamp-2 text-sm break-words text-ink-2 md:hidden">{row.title || row.body}</span>
        </>
      ),
    },
    {
      id: 'text',
      header: t('macros.text'),
      wide: true,
      cell: (row) => (
        <>
          {row.title && <span className="block font-medium">{row.title}</span>}
          <span className="line-clamp-2 max-w-[60ch] text-sm text-ink-2">{row.body}</span>
        </>
      ),
    },
    {
      id: 'shared',
      header: t('replies.visible'),
      cell: (row) => <Badge tone={row.shared ? 'accent' : 'neutral'}>{row.shared ? t('replies.everybody') : t('replies.mine')}</Badge>,
    },
    { id: 'updated', header: t('macros.updated'), wide: true, cell: (row) => <Ago at={row.updated_at} /> },
  ]

  return (
    <>
      <PageHeader title={t('replies.title')} lead={t('replies.lead')} actions={!empty && add} />
      {!empty && (
        <Input
          type="search"
          aria-label={t('replies.search')}
          placeholder={t('replies.search')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="mb-4 max-w-96"
        />
      )}
      <ListView
        label={t('replies.title')}
        list={list}
        columns={columns}
        rowActions={(row) =>
          (canShare || !row.shared) && (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: `/${row.shortcut}` })} />}>
              <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', reply: row })}>
                {t('common.edit')}
              </MenuItem>
              <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', reply: row })}>
                {t('common.delete')}
              </MenuItem>
            </Menu>
          )
        }
        empty={
          searching
            ? { icon: MessageSquareQuote, title: t('replies.none.title'), text: t('replies.none.text') }
            : { icon: MessageSquareQuote, title: t('replies.empty.title'), text: t('replies.empty.text'), action: add }
        }
      />
      {layer?.kind === 'edit' && <ReplyDrawer reply={layer.reply} canShare={canShare} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm reply={layer.reply} onClose={() => setLayer(null)} />}
    </>
  )
}

function DeleteConfirm({ reply, onClose }: { reply: CannedReply; onClose: () => void }) {
  const { t } = useI18n()
  const { shortcut } = reply
  return (
    <ConfirmAct
      act={useDeleteReply()}
      on={reply.id}
      title={t('replies.delete.title')}
      action={t('replies.delete.action')}
      done={t('replies.delete.done', { shortcut })}
      onClose={onClose}
    >
      {reply.shared ? t('replies.delete.shared', { shortcut }) : t('replies.delete.text', { shortcut })}
    </ConfirmAct>
  )
}
