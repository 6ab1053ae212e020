import { useRef, useState, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { Button } from './Button'
import { CopyButton } from './CodeBlock'
import { Dialog } from './Dialog'
import { Checkbox } from './Field'
import { Notice } from './Notice'

interface SecretOnceProps {
  title: string
  description: string
  /** One value, or several such as recovery codes, which belong together. */
  secret: string | readonly string[]
  onSaved: () => void
  /** What to do with it first: an example to copy, where to read on. */
  children?: ReactNode
}

/**
 * Shows a secret that the server will never show again, and stays until someone confirms that it is
 * stored.
 */
export function SecretOnce({ title, description, secret, onSaved, children }: SecretOnceProps) {
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
      {typeof secret === 'string' ? (
        <div className="flex gap-2">
          <input
            ref={field}
            readOnly
            aria-label={t('secret.value')}
            value={secret}
            onFocus={() => field.current?.select()}
            className="h-9.5 min-w-0 flex-1 rounded-md border border-edge bg-sunken px-3 font-mono text-sm"
          />
          <CopyButton text={secret} />
        </div>
      ) : (
        <>
          <ul aria-label={t('secret.value')} className="mb-3 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunken px-4 py-3 font-mono text-sm">
            {secret.map((value) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
          <CopyButton text={secret.join('\n')} />
        </>
      )}
      {children}
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
