import QueryPlan

/// The kernel of every scalar function. A new function is a case of ``ScalarFunction``, a line here and an entry in its
/// family's file.
enum FunctionKernels {
    static func kernel(for function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .add, .subtract, .multiply, .divide, .modulo, .negate, .absolute, .bitAnd, .bitOr, .bitXor, .bitNot,
            .shiftLeft, .shiftRight, .power, .squareRoot, .cubeRoot, .exponential, .naturalLogarithm, .logarithm10,
            .ceiling, .floor, .sign, .round, .truncate, .sine, .cosine, .tangent, .cotangent, .arcSine, .arcCosine,
            .arcTangent, .arcTangent2, .degrees, .radians, .pi, .random:
            return numeric(function)
        case .greatest, .least, .coalesce, .nullIf: return conditional(function)
        case .concatenate, .length, .octetLength, .lower, .upper, .initialCapitals, .substring, .left, .right,
            .trimBoth, .trimLeading, .trimTrailing, .leftPad, .rightPad, .replace, .translate, .reverse, .repeatText,
            .position, .splitPart, .ascii, .character, .quoteLiteral, .quoteIdentifier, .strtol, .toHex,
            .lengthOfBlob, .urlEncode:
            return string(function)
        case .like, .ilike, .similarTo, .regexMatch, .regexMatchInsensitive, .regexpReplace, .regexpSubstring,
            .regexpInstring, .regexpCount, .md5, .sha1, .sha256, .crc32, .fnvHash, .jsonExtractPathText,
            .jsonExtractArrayElementText, .jsonArrayLength, .isValidJson, .isValidJsonArray:
            return text(function)
        case .fromHex, .toVarbyte, .fromVarbyte, .bytesToHex, .getBit, .bytesConcatenate, .bytesSubstring, .bytesNot,
            .bytesAnd, .bytesOr, .bytesXor:
            return ByteFunctions.kernel(function)
        case .dateAddDays, .dateSubtractDays, .dateDifference, .dateAddInterval, .timestampAddInterval,
            .timestampSubtract, .timeAddInterval, .dateAddTime, .intervalAdd, .intervalSubtract, .intervalMultiply,
            .intervalDivide, .intervalNegate, .datePart, .dateTruncate, .dateAdd, .dateDiff, .addMonths,
            .monthsBetween, .lastDay, .nextDay, .age, .atTimeZone, .timestampToZone, .toCharDatetime, .toCharNumber,
            .toDate, .toTimestamp, .toNumber, .makeDate, .epochToTimestamp, .currentDate, .currentTimestamp, .getDate,
            .timeOfDay:
            return datetime(function)
        case .currentUser, .currentDatabase, .currentSchema, .version, .backendPID:
            return .sessionFact(function)
        case .currentSetting: return CatalogFunctions.currentSetting
        case .arrayContains, .arrayElement, .arrayUpper, .arrayLower, .arrayToString, .makeArray:
            return ArrayFunctions.kernel(function)
        case .firstArgument: return CatalogFunctions.firstArgument
        case .userByID, .currentUserID, .formatType, .isVisible, .viewDefinition, .constraintDefinition,
            .indexDefinition, .objectDescription, .columnDescription, .currentSchemas, .encodingName,
            .columnEncodingName, .lastQueryFact, .hasTablePrivilege, .hasSchemaPrivilege, .hasDatabasePrivilege,
            .hasColumnPrivilege, .hasFunctionPrivilege, .hasLanguagePrivilege, .hasAssumeRolePrivilege, .hasRole,
            .isMemberOf, .roleIsMemberOf, .relationID, .relationName, .typeID, .typeNameOfID, .namespaceID,
            .namespaceName,
            .procedureName, .relationSize, .databaseSize, .prettySize, .encodingNumber, .formatText:
            return CatalogFunctions.question(function)
        case .cancelBackend, .terminateBackend:
            var kernel = CatalogFunctions.question(function)
            kernel.deterministic = false
            return kernel
        }
    }

    private static func numeric(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .add: ArithmeticFunctions.binary(.add)
        case .subtract: ArithmeticFunctions.binary(.subtract)
        case .multiply: ArithmeticFunctions.binary(.multiply)
        case .divide: ArithmeticFunctions.binary(.divide)
        case .modulo: ArithmeticFunctions.binary(.modulo)
        case .negate: ArithmeticFunctions.negate
        case .absolute: ArithmeticFunctions.absolute
        case .bitAnd: ArithmeticFunctions.bits(.and)
        case .bitOr: ArithmeticFunctions.bits(.or)
        case .bitXor: ArithmeticFunctions.bits(.xor)
        case .bitNot: ArithmeticFunctions.bits(.not)
        case .shiftLeft: ArithmeticFunctions.bits(.left)
        case .shiftRight: ArithmeticFunctions.bits(.right)
        case .ceiling: MathFunctions.whole(.up)
        case .floor: MathFunctions.whole(.down)
        case .sign: MathFunctions.sign
        case .round: MathFunctions.digits(.nearest)
        case .truncate: MathFunctions.digits(.zero)
        default: transcendental(function)
        }
    }

    private static func transcendental(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .power: MathFunctions.power
        case .squareRoot: MathFunctions.squareRoot
        case .cubeRoot: MathFunctions.cubeRoot
        case .exponential: MathFunctions.exponential
        case .naturalLogarithm: MathFunctions.naturalLogarithm
        case .logarithm10: MathFunctions.logarithm10
        case .sine: MathFunctions.sine
        case .cosine: MathFunctions.cosine
        case .tangent: MathFunctions.tangent
        case .cotangent: MathFunctions.cotangent
        case .arcSine: MathFunctions.arcSine
        case .arcCosine: MathFunctions.arcCosine
        case .arcTangent: MathFunctions.arcTangent
        case .arcTangent2: MathFunctions.arcTangent2
        case .degrees: MathFunctions.degrees
        case .radians: MathFunctions.radians
        case .pi: MathFunctions.pi
        case .random: MathFunctions.random
        default: .missing(function)
        }
    }

    private static func conditional(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .greatest: ConditionalFunctions.extreme(1)
        case .least: ConditionalFunctions.extreme(-1)
        case .coalesce: ConditionalFunctions.coalesce
        case .nullIf: ConditionalFunctions.nullIf
        default: .missing(function)
        }
    }

    private static func string(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .concatenate: StringBuildingFunctions.concatenate
        case .length: StringFunctions.length
        case .octetLength: StringFunctions.octetLength
        case .lengthOfBlob: StringFunctions.bitLength
        case .lower: StringFunctions.lower
        case .upper: StringFunctions.upper
        case .initialCapitals: StringFunctions.initialCapitals
        case .substring: StringFunctions.substring
        case .left: StringFunctions.left
        case .right: StringFunctions.right
        case .trimBoth: StringFunctions.trim(leading: true, trailing: true)
        case .trimLeading: StringFunctions.trim(leading: true, trailing: false)
        case .trimTrailing: StringFunctions.trim(leading: false, trailing: true)
        case .leftPad: StringBuildingFunctions.pad(left: true)
        case .rightPad: StringBuildingFunctions.pad(left: false)
        case .replace: StringBuildingFunctions.replace
        case .translate: StringBuildingFunctions.translate
        case .reverse: StringBuildingFunctions.reverse
        case .repeatText: StringBuildingFunctions.repeatText
        case .position: StringFunctions.position
        case .splitPart: StringFunctions.splitPart
        case .ascii: StringFunctions.ascii
        case .character: StringBuildingFunctions.character
        case .quoteLiteral: StringBuildingFunctions.quoteLiteral
        case .quoteIdentifier: StringBuildingFunctions.quoteIdentifier
        case .strtol: StringBuildingFunctions.strtol
        case .toHex: StringBuildingFunctions.toHex
        case .urlEncode: StringBuildingFunctions.urlEncode
        default: .missing(function)
        }
    }

    private static func text(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .like: PatternFunctions.like(ignoresCase: false)
        case .ilike: PatternFunctions.like(ignoresCase: true)
        case .similarTo: PatternFunctions.similarTo
        case .regexMatch: PatternFunctions.regexMatch(ignoresCase: false)
        case .regexMatchInsensitive: PatternFunctions.regexMatch(ignoresCase: true)
        case .regexpReplace: PatternFunctions.regexpReplace
        case .regexpSubstring: PatternFunctions.regexpSubstring
        case .regexpInstring: PatternFunctions.regexpInstring
        case .regexpCount: PatternFunctions.regexpCount
        case .md5: HashFunctions.md5
        case .sha1: HashFunctions.sha1
        case .sha256: HashFunctions.sha256
        case .crc32: HashFunctions.crc32
        case .fnvHash: HashFunctions.fnvHash
        case .jsonExtractPathText: JSONFunctions.extractPath
        case .jsonExtractArrayElementText: JSONFunctions.arrayElement
        case .jsonArrayLength: JSONFunctions.arrayLength
        case .isValidJson: JSONFunctions.isValid
        case .isValidJsonArray: JSONFunctions.isValidArray
        default: .missing(function)
        }
    }

    private static func datetime(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .dateAddDays: DatetimeFunctions.dateAddDays
        case .dateSubtractDays: DatetimeFunctions.dateSubtractDays
        case .dateDifference: DatetimeFunctions.dateDifference
        case .dateAddInterval: DatetimeFunctions.dateAddInterval
        case .timestampAddInterval: DatetimeFunctions.timestampAddInterval
        case .timestampSubtract: DatetimeFunctions.timestampSubtract
        case .timeAddInterval: DatetimeFunctions.timeAddInterval
        case .dateAddTime: DatetimeFunctions.dateAddTime
        case .intervalAdd: DatetimeFunctions.intervalAdd
        case .intervalSubtract: DatetimeFunctions.intervalSubtract
        case .intervalMultiply: DatetimeFunctions.intervalMultiply
        case .intervalDivide: DatetimeFunctions.intervalDivide
        case .intervalNegate: DatetimeFunctions.intervalNegate
        case .addMonths: DatetimeFunctions.addMonths
        case .monthsBetween: DatetimeFunctions.monthsBetween
        case .lastDay: DatetimeFunctions.lastDay
        case .nextDay: DatetimeFunctions.nextDay
        case .age: DatetimeFunctions.age
        case .makeDate: DatetimeFunctions.makeDate
        case .epochToTimestamp: DatetimeFunctions.epochToTimestamp
        case .atTimeZone: DatetimeFunctions.atTimeZone
        case .timestampToZone: DatetimeFunctions.timestampToZone
        default: datetimeByPart(function)
        }
    }

    private static func datetimeByPart(_ function: ScalarFunction) -> FunctionKernel {
        switch function {
        case .datePart: DatePartFunctions.datePart
        case .dateTruncate: DatePartFunctions.truncate
        case .dateAdd: DatePartFunctions.dateAdd
        case .dateDiff: DatePartFunctions.dateDiff
        case .toCharDatetime: FormatFunctions.toCharDatetime
        case .toCharNumber: FormatFunctions.toCharNumber
        case .toDate: FormatFunctions.toDate
        case .toTimestamp: FormatFunctions.toTimestamp
        case .toNumber: FormatFunctions.toNumber
        case .currentDate: DatetimeFunctions.currentDate
        case .currentTimestamp: DatetimeFunctions.currentTimestamp
        case .getDate: DatetimeFunctions.getDate
        case .timeOfDay: DatetimeFunctions.timeOfDay
        default: .missing(function)
        }
    }
}
