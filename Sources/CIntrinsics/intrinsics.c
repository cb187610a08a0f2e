#include "intrinsics.h"
