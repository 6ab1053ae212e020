import { useEffect, useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { FailureText } from '@/ui/FailureText'
import { Field, Select, Textarea } from '@/ui/Field'
import { FileInput } from '@/ui/FileInput'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { greetingAddress, soundAddress, useGreetings, usePreview, useSetGreeting, useUploadGreeting, type Greeting, type Voice } from './greetings'
import { moneyText } from './money'
import { useWallet } from './wallet'

const slots = {
  welcome: { title: 'greetings.welcome', text: 'greetings.welcome.text' },
  closed: { title: 'greetings.closed', text: 'greetings.closed.text' },
  holiday: { title: 'greetings.holiday', text: 'greetings.holiday.text' },
  voicemail: { title: 'greetings.voicemail', text: 'greetings.voicemail.text' },
  hold: { title: 'greetings.hold', text: 'greetings.hold.text' },
  recording_notice: { title: 'greetings.notice', text: 'greetings.notice.text' },
} as const satisfies Record<Greeting['slot'], { title: PlainKey; text: PlainKey }>

const modes = { none: 'greetings.mode.none', text: 'greetings.mode.text', audio: 'greetings.mode.audio' } as const satisfies Record<Greeting['mode'], PlainKey>

/** The reasons why a file cannot be played on the telephone. */
const fileComplaints = {
  not_wav: 'greetings.notWav',
  not_pcm: 'greetings.notPcm',
  wrong_bits: 'greetings.wrongBits',
  wrong_channels: 'greetings.wrongChannels',
  wrong_rate: 'greetings.wrongRate',
  cut_off: 'greetings.cutOff',
  empty: 'greetings.emptyFile',
  too_long: 'greetings.tooLong',
} as const

/** The greetings that callers hear at the points of a call. */
export function GreetingsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.telephony.manage' })
  const query = useGreetings()
  const [editing, setEditing] = useState<Greeting | null>(null)
  return (
    <>
      <PageHeader title={t('greetings.title')} lead={t('greetings.lead')} />
      <QueryState isPending={query.isPending} error={query.error} isEmpty={false} empty={null} retry={() => void query.refetch()}>
        <div className="grid gap-4 md:grid-cols-2">
          {query.data?.map((greeting) => (
            <Card key={greeting.slot} title={t(slots[greeting.slot].title)} action={<Badge tone={greeting.mode === 'none' ? 'neutral' : 'ok'}>{t(modes[greeting.mode])}</Badge>}>
              <p className="mb-3 text-sm text-ink-2">{t(slots[greeting.slot].text)}</p>
              {greeting.mode === 'text' && <p className="mb-3">{greeting.text}</p>}
              {greeting.mode === 'audio' && <audio controls preload="none" src={greetingAddress(greeting)} aria-label={greeting.name || t(slots[greeting.slot].title)} className="mb-3 h-10 w-full" />}
              {canManage && (
                <Button size="sm" aria-label={t('greetings.change', { name: t(slots[greeting.slot].title) })} onClick={() => setEditing(greeting)}>
                  {t('common.edit')}
                </Button>
              )}
            </Card>
          ))}
        </div>
      </QueryState>
      {editing && <GreetingDrawer greeting={editing} onClose={() => setEditing(null)} />}
    </>
  )
}

function GreetingDrawer({ greeting, onClose }: { greeting: Greeting; onClose: () => void }) {
  const { t } = useI18n()
  const set = useSetGreeting()
  const upload = useUploadGreeting()
  const [mode, setMode] = useState(greeting.mode)
  const [text, setText] = useState(greeting.text)
  const [voice, setVoice] = useState<Voice>(greeting.voice)
  const [file, setFile] = useState<File | null>(null)
  const done = () => {
    toast('ok', t('greetings.saved'))
    onClose()
  }

  function submit() {
    if (mode === 'audio' && file) upload.mutate({ slot: greeting.slot, file }, { onSuccess: done })
    else set.mutate({ slot: greeting.slot, mode, text: mode === 'text' ? text : '', voice }, { onSuccess: done })
  }

  const error = set.error ?? upload.error
  return (
    <FormDrawer
      title={t(slots[greeting.slot].title)}
      description={t(slots[greeting.slot].text)}
      busy={set.isPending || upload.isPending}
      error={error}
      fields={['slots.text', 'slots.mode', 'file']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('greetings.plays')} error={fieldText(error, 'slots.mode', { no_file: 'greetings.noFile' })}>
        <Select value={mode} onChange={(event) => setMode(event.target.value as Greeting['mode'])}>
          <option value="none">{t('greetings.mode.none')}</option>
          <option value="text">{t('greetings.mode.text')}</option>
          <option value="audio">{t('greetings.mode.audio')}</option>
        </Select>
      </Field>
      {mode === 'text' && (
        <>
          <Field label={t('greetings.text')} error={fieldText(error, 'slots.text')}>
            <Textarea rows={4} maxLength={500} required value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
          <Field label={t('greetings.voice')}>
            <Select value={voice} onChange={(event) => setVoice(event.target.value as Voice)}>
              <option value="tr">Türkçe</option>
              <option value="en">English</option>
            </Select>
          </Field>
          <PreviewPart text={text} voice={voice} />
        </>
      )}
      {mode === 'audio' && (
        <Field label={t('greetings.file')} hint={t('greetings.fileHint')} error={fieldText(error, 'file', fileComplaints)}>
          <FileInput accept="audio/wav,.wav" onChange={setFile} />
        </Field>
      )}
    </FormDrawer>
  )
}

/** Plays a text as speech, and shows what that cost. */
function PreviewPart({ text, voice }: { text: string; voice: Voice }) {
  const { t } = useI18n()
  const preview = usePreview()
  const currency = useWallet().data?.currency ?? 'TRY'
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => () => { if (address) URL.revokeObjectURL(address) }, [address])
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Button disabled={!text.trim()} busy={preview.isPending} onClick={() => preview.mutate({ text, voice }, { onSuccess: (made) => setAddress(soundAddress(made.audio_base64)) })}>
          {t('greetings.preview')}
        </Button>
        <p className="mt-1 text-sm text-ink-2">{t('greetings.previewHint')}</p>
      </div>
      {preview.error && (
        <Notice tone="danger">
          <FailureText error={preview.error} />
        </Notice>
      )}
      {address && preview.data && (
        <>
          <audio controls src={address} aria-label={t('greetings.preview')} className="h-10 w-full" />
          <p className="text-sm text-ink-2">{t('greetings.cost', { price: moneyText(preview.data.cost_micros, currency) })}</p>
        </>
      )}
    </div>
  )
}
