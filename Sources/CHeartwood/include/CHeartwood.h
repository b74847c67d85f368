#ifndef C_HEARTWOOD_H
#define C_HEARTWOOD_H

#include "CHeartwoodChecksum.h"
#include "CHeartwoodShared.h"
#include "CHeartwoodSystem.h"

#endif
