import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '@/i18n'
import { Badge, Code } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { Checkbox, Field, Input, Select, Textarea } from '@/ui/Field'
import { Kbd } from '@/ui/Kbd'
import { Marked } from '@/ui/Marked'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { Sample } from './Sample'

export function ComponentSamples() {
  const { t } = useI18n()
  const [segment, setSegment] = useState<'a' | 'b'>('a')
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
