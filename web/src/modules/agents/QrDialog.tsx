import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Mail, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { useOnce } from '@/lib/once'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { closeQr, qrQuery, useCreateQr, useMailQr, type Agent, type NewQr } from './agents'

export function QrDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useI18n()
  const create = useCreateQr(agent.id)
  const { mutate, data: qr } = create
  useOnce(mutate)

  return (
    <Dialog
      open
      onOpenChange={() => {
        if (qr) closeQr(agent.id, qr.qr_id)
        onClose()
      }}
      title={t('qr.title', { name: agent.name })}
      description={t('qr.text')}
    >
      {create.error && <Notice tone="danger">{errorText(create.error)}</Notice>}
      {!qr && !create.error && <Skeleton className="mx-auto size-60" />}
      {qr && <OpenQr key={qr.qr_id} agent={agent} qr={qr} onAnother={() => mutate()} />}
    </Dialog>
  )
}

function OpenQr({ agent, qr, onAnother }: { agent: Agent; qr: NewQr; onAnother: () => void }) {
  const { t } = useI18n()
  const poll = useQuery(qrQuery(agent.id, qr.qr_id))
  const mail = useMailQr(agent.id)
  const left = useSecondsTo(poll.data?.expires_at ?? qr.expires_at)
  const status = poll.data?.status ?? 'pending'
  const mailed = poll.data?.mailed === true || mail.isSuccess

  if (status === 'scanned') {
    const device = poll.data?.device
    return (
      <p role="status" className="flex items-center gap-3 rounded-lg bg-ok-soft p-4 text-ok-ink">
        <CircleCheck aria-hidden className="size-6 shrink-0" />
        {t('qr.scanned', { device: device ? `${device.name} (${device.platform})` : t('devices.unnamed') })}
      </p>
    )
  }
  if (status !== 'pending' || left <= 0) {
    return (
      <div className="flex flex-col items-start gap-4">
        <Notice tone="warn" className="w-full">
          {t('qr.expired')}
        </Notice>
        <Button look="primary" icon={RefreshCw} onClick={onAnother}>
          {t('qr.another')}
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-col items-center gap-4">
      <img src={qr.qr_png} alt={t('qr.picture')} width={240} height={240} className="rounded-md border border-line" />
      <p className="text-sm text-ink-2">{mailed ? t('qr.mailed', { email: agent.email }) : t('qr.left', { time: clockOf(left) })}</p>
      {mail.error && (
        <Notice tone="danger" className="w-full">
          {errorText(mail.error)}
        </Notice>
      )}
      {!mailed && (
        <Button icon={Mail} busy={mail.isPending} onClick={() => mail.mutate(qr)}>
          {t('qr.mail')}
        </Button>
      )}
    </div>
  )
}

function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function secondsTo(iso: string): number {
  return Math.max(0, Math.ceil((new Date(iso).getTime() - Date.now()) / 1000))
}

function useSecondsTo(iso: string): number {
  const [left, setLeft] = useState(() => secondsTo(iso))
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsTo(iso)), 500)
    return () => clearInterval(timer)
  }, [iso])
  return left
}
