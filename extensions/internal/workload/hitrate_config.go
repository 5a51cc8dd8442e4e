package workload

import (
	"fmt"
	"slices"
	"strings"
)

// RateConfig holds the arguments of the benchmark, under their names in scripts.
type RateConfig struct {
	Random    bool  `json:"random"`    // sizes are uniform from 12 to Item; otherwise all are Item
	Memory    int64 `json:"memory"`    // the server's memory limit, bytes
	Item      int64 `json:"item"`      // key and value of a case, bytes
	Hot       int64 `json:"hot"`       // percent of the cases that are hot
	Access    int64 `json:"access"`    // percent of the accesses that hit hot cases
	HotMemory int64 `json:"hotMemory"` // size of the hot cases, percent of Memory
}

type published struct {
	name   string
	config RateConfig
}

func configs() []published {
	config := func(random bool, memory, item int64) RateConfig {
		return RateConfig{Random: random, Memory: memory, Item: item, Hot: 20, Access: 80, HotMemory: 80}
	}

	return []published{
		{"2g-513k", config(false, 2<<30, 513<<10)},
		{"100m-512b", config(false, 100<<20, 512)},
		{"random-2g-1m", config(true, 2<<30, 1<<20)},
		{"random-100m-1k", config(true, 100<<20, 1<<10)},
	}
}

// Published returns a published configuration: 2g-513k, 100m-512b, random-2g-1m or random-100m-1k.
// For another name it returns an error that lists them.
func Published(name string) (RateConfig, error) {
	all := configs()
	i := slices.IndexFunc(all, func(p published) bool { return p.name == name })
	if i < 0 {
		names := make([]string, len(all))
		for at, p := range all {
			names[at] = p.name
		}

		return RateConfig{}, fmt.Errorf("there is no published configuration %q; there are %s", name, strings.Join(names, ", "))
	}

	return all[i].config, nil
}

const (
	prefixSize = 12

	maxMemory = 1 << 50
	maxItem   = 1 << 30
	maxCases  = 1 << 24 // 16 bytes each, plus 32 for their accesses
	maxShare  = 1000    // largest HotMemory, percent
)

// Validate returns an error that names the first invalid option.
func (c RateConfig) Validate() error {
	switch {
	case c.Memory < 1 || c.Memory > maxMemory:
		return fmt.Errorf("option memory must be from 1 to %d bytes, not %d", maxMemory, c.Memory)
	case c.Item < prefixSize || c.Item > maxItem:
		return fmt.Errorf("option item must be from %d to %d bytes, not %d", prefixSize, maxItem, c.Item)
	case c.Hot < 1 || c.Hot > 99:
		return fmt.Errorf("option hot must be from 1 to 99 percent of the cases, not %d", c.Hot)
	case c.Access < 0 || c.Access > 100:
		return fmt.Errorf("option access must be from 0 to 100 percent of the accesses, not %d", c.Access)
	case c.HotMemory < 1 || c.HotMemory > maxShare:
		return fmt.Errorf("option hotMemory must be from 1 to %d percent of the memory, not %d", maxShare, c.HotMemory)
	case c.HotCases() < 1:
		return fmt.Errorf("options memory (%d) and item (%d) make %d cases, none of them hot; more memory or smaller items are needed",
			c.Memory, c.Item, c.Cases())
	case c.Cases() > maxCases:
		return fmt.Errorf("options memory (%d) and item (%d) make %d cases, and at most %d can be; larger items are needed",
			c.Memory, c.Item, c.Cases(), maxCases)
	}

	return nil
}

func (c RateConfig) size() int64 { return c.Memory * c.HotMemory / c.Hot }

// AverageItem returns the average size of a case's key and value in bytes, as the original computes
// it.
func (c RateConfig) AverageItem() int64 {
	if c.Random {
		return c.Item / 2
	}

	return c.Item
}

// Cases returns the number of keys.
func (c RateConfig) Cases() int64 { return c.size() / c.AverageItem() }

// HotCases returns the number of hot keys. They come first.
func (c RateConfig) HotCases() int64 { return c.Cases() * c.Hot / 100 }

// Accesses returns the number of accesses in a pass: about 4 per case.
func (c RateConfig) Accesses() int64 {
	const perCase = 4
	if c.Random {
		return 2 * perCase * c.Memory * c.HotMemory / c.Hot / c.Item
	}

	return perCase * c.Memory * c.HotMemory / c.Hot / c.Item
}
