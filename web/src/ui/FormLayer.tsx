import { useId, type ReactNode } from 'react'
import { isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { useFocusOnError } from '@/lib/form'
import { Button } from './Button'
import { Dialog, Drawer } from './Dialog'
import { FailureText } from './FailureText'
import { Notice } from './Notice'

interface FormLayerProps {
  title: string
  description?: string
  /** The label of the main button, "Save" by default. */
  action?: string
  /** The label of the other button: "Close" if the form stays open after saving. */
  dismiss?: string
  busy: boolean
  /** There is nothing to send yet, and the form says why. */
  disabled?: boolean
  error: unknown
  /**
   * The fields that show their own error. An error about only these needs no message above the
   * form.
   */
  fields: readonly string[]
  /** The form already shows the error in its own words, at the field concerned. */
  said?: boolean
  onSubmit: (data: FormData) => void
  onClose: () => void
  /** Shown before and after the form, inside the layer but not submitted. */
  before?: ReactNode
  after?: ReactNode
  children: ReactNode
}

function useFormLayer({ action, dismiss, busy, disabled, error, fields, said, onSubmit, onClose, before, after, children }: FormLayerProps) {
  const { t } = useI18n()
  const id = useId()
  const form = useFocusOnError(error)
  return {
    footer: (
      <>
        <Button onClick={onClose}>{dismiss ?? t('common.cancel')}</Button>
        <Button look="primary" type="submit" form={id} busy={busy} disabled={disabled}>
          {action ?? t('common.save')}
        </Button>
      </>
    ),
    children: (
      <>
        {before}
        {error != null && !said && !isAboutFields(error, fields) && (
          <Notice tone="danger" className="mb-4">
            <FailureText error={error} />
          </Notice>
        )}
        <form
          id={id}
          ref={form}
          noValidate
          className="flex flex-col gap-4.5"
          onSubmit={(event) => {
            event.preventDefault()
            onSubmit(new FormData(event.currentTarget))
          }}
        >
          {children}
        </form>
        {after}
      </>
    ),
  }
}

/** A short form in the middle of the page. */
export function FormDialog(props: FormLayerProps) {
  return <Dialog open asks refused={props.error != null} onOpenChange={props.onClose} title={props.title} description={props.description} {...useFormLayer(props)} />
}

/** A long form at the side that keeps the page in view. */
export function FormDrawer(props: FormLayerProps) {
  return <Drawer open asks refused={props.error != null} onOpenChange={props.onClose} title={props.title} description={props.description} {...useFormLayer(props)} />
}
