export {
  AtSign, AudioLines, Blocks, Cable, FileLock2, FolderSync, Globe, HardDrive, Hash, KeyRound, LayoutTemplate, ListChecks, MailOpen, Mails, MessageSquareQuote, PenLine, PhoneCall, PhoneOff,
  PhoneOutgoing, ScanSearch, ScrollText, Send, Settings2, ShieldAlert, ShieldCheck, ShieldUser, Users, UsersRound, Voicemail, Wallet, Webhook, Zap,
} from 'lucide-react'
