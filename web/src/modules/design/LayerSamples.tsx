import { Copy, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { Dialog, Drawer } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { SecretOnce } from '@/ui/SecretOnce'
import { Sample } from './Sample'

const refusal = new ApiError({ status: 422, code: 'validation_failed', message: '', fields: { email: ['invalid_address'] } })

type Layer = 'dialog' | 'drawer' | 'form' | 'confirm' | 'secret'

export function LayerSamples() {
  const { t } = useI18n()
  const [open, setOpen] = useState<Layer | null>(null)
  const close = () => setOpen(null)
  return (
    <Sample title="design.layers">
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setOpen('dialog')}>{t('design.openDialog')}</Button>
        <Button onClick={() => setOpen('drawer')}>{t('design.openDrawer')}</Button>
        <Button onClick={() => setOpen('form')}>{t('design.openForm')}</Button>
        <Button onClick={() => setOpen('confirm')}>{t('design.openConfirm')}</Button>
        <Button onClick={() => setOpen('secret')}>{t('design.openSecret')}</Button>
        <Menu align="start" trigger={<Button>{t('design.openMenu')}</Button>}>
          <MenuItem icon={Copy} onSelect={close}>
            {t('common.copy')}
          </MenuItem>
          <MenuRule />
          <MenuItem icon={Trash2} onSelect={close}>
            {t('common.delete')}
          </MenuItem>
        </Menu>
      </div>
      <Dialog open={open === 'dialog'} onOpenChange={close} title={t('design.openDialog')}>
        <p className="text-sm text-ink-2">{t('design.layerText')}</p>
      </Dialog>
      <Drawer open={open === 'drawer'} onOpenChange={close} title={t('design.openDrawer')}>
        <p className="text-sm text-ink-2">{t('design.layerText')}</p>
      </Drawer>
      {open === 'form' && (
        <FormDrawer title={t('design.openForm')} description={t('design.layerText')} busy={false} error={refusal} fields={['email']} onSubmit={close} onClose={close}>
          <Field label={t('signIn.email')} error={fieldText(refusal, 'email', { invalid_address: 'field.email' })}>
            <Input name="email" defaultValue="ad@" />
          </Field>
        </FormDrawer>
      )}
      <Confirm open={open === 'confirm'} onOpenChange={close} title={t('design.openConfirm')} action={t('common.delete')} onConfirm={close}>
        {t('design.layerText')}
      </Confirm>
      {open === 'secret' && (
        <SecretOnce
          title={t('webhooks.secret.title')}
          description={t('webhooks.secret.text')}
          secret="whsec_ZXhhbXBsZS1vbmx5LW5vdC1hLXNlY3JldA"
          onSaved={close}
        />
      )}
    </Sample>
  )
}
