import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '@/i18n'
import { Avatar } from '@/ui/Avatar'
import { Badge, Code } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { Chip } from '@/ui/Chip'
import { Combobox, MultiCombobox } from '@/ui/Combobox'
import { DateInput } from '@/ui/DateInput'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { Kbd } from '@/ui/Kbd'
import { Marked } from '@/ui/Marked'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { Select } from '@/ui/Select'
import { TimeInput } from '@/ui/TimeInput'
import { toast } from '@/ui/Toast'
import { Sample } from './Sample'

const names = ['Ayşe Yılmaz', 'Burak Şimşek', 'Ceren Işık', 'Defne Kaya', 'Ece Toprak', 'Hakan Öztürk', 'İlker Çelik', 'Pınar Eren'] as const
const people = names.map((name, at) => ({ value: String(at), label: name, mark: <Avatar name={name} size="xs" /> }))
const channels = ['whatsapp', 'instagram', 'messenger', 'telegram', 'sms', 'email', 'widget', 'phone', 'form', 'help_center', 'custom', 'panel', 'api'] as const

export function ComponentSamples() {
  const { t } = useI18n()
  const [segment, setSegment] = useState<'a' | 'b'>('a')
  const [owner, setOwner] = useState('0')
  const [several, setSeveral] = useState<string[]>(['0', '2'])
  const [time, setTime] = useState('09:30')
  return (
    <>
      <Sample title="design.actions">
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" icon={Plus}>
            {t('design.primary')}
          </Button>
          <Button>{t('design.secondary')}</Button>
          <Button look="ghost">{t('design.ghost')}</Button>
          <Button look="danger">{t('design.danger')}</Button>
          <Button look="primary" busy>
            {t('design.busy')}
          </Button>
          <Button disabled>{t('design.off')}</Button>
          <Button size="sm">{t('design.secondary')}</Button>
          <IconButton icon={Trash2} tone="danger" label={t('common.delete')} />
          <Kbd keys={['mod', 'K']} />
        </div>
      </Sample>
      <Sample title="design.forms">
        <div className="grid max-w-3xl gap-5 sm:grid-cols-2">
          <Field label={t('design.label')} hint={t('design.hint')} optional>
            <Input />
          </Field>
          <Field label={t('design.withError')} error={t('field.email')}>
            <Input defaultValue="ad@" />
          </Field>
          <Field label={t('design.choice')}>
            <Select>
              <option>{t('theme.light')}</option>
              <option>{t('theme.dark')}</option>
            </Select>
          </Field>
          <Field label={t('design.search')}>
            <Combobox options={people} value={owner} onChange={setOwner} />
          </Field>
          <Field label={t('design.many')}>
            <MultiCombobox options={people} value={several} onChange={setSeveral} />
          </Field>
          <Field label={t('design.quiet')}>
            <Select quiet defaultValue="b">
              <option value="a">{t('theme.light')}</option>
              <option value="b">{t('theme.dark')}</option>
            </Select>
          </Field>
          <Field label={t('design.day')}>
            <DateInput type="date" defaultValue="2026-01-15" />
          </Field>
          <Field label={t('design.moment')}>
            <DateInput type="datetime-local" defaultValue="2026-01-15T09:30" />
          </Field>
          <Field label={t('picker.time')}>
            <TimeInput value={time} onChange={setTime} />
          </Field>
          <Field label={t('design.off')}>
            <Input disabled defaultValue="–" />
          </Field>
          <Field label={t('design.longText')} className="sm:col-span-2">
            <Textarea />
          </Field>
          <Checkbox label={t('design.choice')} detail={t('design.hint')} defaultChecked />
          <div>
            <Segmented
              label={t('design.choice')}
              value={segment}
              options={[
                { value: 'a', label: t('theme.light') },
                { value: 'b', label: t('theme.dark') },
              ]}
              onChange={setSegment}
            />
          </div>
        </div>
      </Sample>
      <Sample title="design.people">
        <div className="flex flex-wrap items-center gap-3">
          {names.map((name) => (
            <Avatar key={name} name={name} />
          ))}
          <Avatar name={names[0]} size="lg" />
          <Avatar name={names[0]} size="sm" />
          <Avatar name={names[0]} size="xs" />
          <Avatar name="+90 532 123 45 67" />
        </div>
        <div className="mt-4 flex flex-wrap items-center gap-3">
          {channels.map((channel) => (
            <ChannelGlyph key={channel} channel={channel} label={channel} />
          ))}
          {channels.map((channel) => (
            <ChannelGlyph key={channel} channel={channel} size="md" />
          ))}
        </div>
        <p className="mt-4 flex flex-wrap items-center gap-3 text-sm">
          <span className="rounded-sm bg-warm-soft px-1.5 py-0.5 text-xs font-semibold text-warm-ink">{t('design.waits')}</span>
          <span className="rounded-full bg-warm px-1.5 text-xs font-bold text-on-warm">3</span>
        </p>
      </Sample>
      <Sample title="design.feedback">
        <div className="flex max-w-3xl flex-col gap-3">
          <Notice>{t('design.info')}</Notice>
          <Notice tone="ok">{t('design.okay')}</Notice>
          <Notice tone="warn">{t('design.warning')}</Notice>
          <Notice tone="danger">{t('design.failure')}</Notice>
          <p className="flex flex-wrap gap-2">
            <Badge>{t('webhooks.status.paused')}</Badge>
            <Badge tone="accent" dot>
              {t('deliveries.status.pending')}
            </Badge>
            <Badge tone="ok" dot>
              {t('deliveries.status.delivered')}
            </Badge>
            <Badge tone="warn" dot>
              {t('deliveries.status.failed')}
            </Badge>
            <Badge tone="danger" dot>
              {t('deliveries.status.exhausted')}
            </Badge>
            <Code>conversation.created</Code>
          </p>
          <ul className="flex flex-wrap gap-2">
            <Chip>{t('design.label')}</Chip>
            <Chip removeLabel={`${t('common.delete')}: ${t('design.name')}`} onRemove={() => toast('ok', t('design.okay'))}>
              {t('design.name')}
            </Chip>
          </ul>
          <p className="text-sm text-ink-2">
            <Marked text={`${t('design.info')} <em>${t('design.okay')}</em>`} />
          </p>
          <p className="flex flex-wrap gap-2">
            <Button onClick={() => toast('ok', t('design.okay'))}>{t('design.toastOk')}</Button>
            <Button onClick={() => toast('danger', t('design.failure'), t('error.offline'))}>{t('design.toastBad')}</Button>
          </p>
        </div>
      </Sample>
    </>
  )
}
