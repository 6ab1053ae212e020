package wallet

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// AddCredit enters credit without a bank.
func (s *Service) AddCredit(tx *db.Tx, ref uuid.UUID, amount int64) error {
	if err := openWallet(tx, s.Currency); err != nil {
		return err
	}
	return enter(tx, kindTopUp, purposeCard, ref, amount, 0, posting{accountAvailable, amount}, posting{accountClearing + "test", -amount})
}
