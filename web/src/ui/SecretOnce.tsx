import { useRef, useState } from 'react'
import { useI18n } from '@/i18n'
import { Button } from './Button'
import { CopyButton } from './CodeBlock'
import { Dialog } from './Dialog'
import { Checkbox } from './Field'
import { Notice } from './Notice'

interface SecretOnceProps {
  title: string
  description: string
  secret: string
  onSaved: () => void
}

/** Shows what the server will never show again, and stays until someone says it is kept. */
export function SecretOnce({ title, description, secret, onSaved }: SecretOnceProps) {
  const { t } = useI18n()
  const [saved, setSaved] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open
      mustAnswer
      onOpenChange={() => undefined}
      title={title}
      description={description}
      footer={
        <Button look="primary" disabled={!saved} onClick={onSaved}>
          {t('secret.done')}
        </Button>
      }
    >
      <div className="flex gap-2">
        <input
          ref={field}
          readOnly
          aria-label={t('secret.value')}
          value={secret}
          onFocus={() => field.current?.select()}
          className="h-9.5 min-w-0 flex-1 rounded-md border border-edge bg-sunken px-3 font-mono text-[13px]"
        />
        <CopyButton text={secret} />
      </div>
      <Notice tone="warn" className="mt-4">
        {t('secret.warning')}
      </Notice>
      <Checkbox
        className="mt-4"
        label={t('secret.saved')}
        checked={saved}
        onChange={(event) => setSaved(event.target.checked)}
      />
    </Dialog>
  )
}
