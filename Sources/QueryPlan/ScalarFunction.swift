/// Every scalar function and operator by identity. The signature (names, argument types, result rule) stands in
/// ``FunctionSignature``'s table, the kernel in VectorEngine's `Functions/`; a test holds the two sets equal.
/// Variants by argument type are separate identities, so that plans never choose a kernel by looking at types twice.
package enum ScalarFunction: String, Sendable, Hashable, CaseIterable {
    // Arithmetic. Integers: all sides and the result have the same SQL type. Decimals: sides keep their own precision
    // and scale, the result type's scale rules. Floats: all double.
    case add, subtract, multiply, divide, modulo, negate, absolute
    case power, squareRoot, cubeRoot, exponential, naturalLogarithm, logarithm10
    case ceiling, floor, sign
    /// [value, digits]; value decimal or double.
    case round, truncate
    case sine, cosine, tangent, cotangent, arcSine, arcCosine, arcTangent, arcTangent2, degrees, radians, pi, random
    case bitAnd, bitOr, bitXor, bitNot, shiftLeft, shiftRight
    case greatest, least, coalesce, nullIf

    // Strings.
    case concatenate, length, octetLength, lower, upper, initialCapitals
    /// [text, collation]: the text as it is; the second tells the binder how it is compared.
    case collate
    /// [text, start, count?]
    case substring
    case left, right, trimBoth, trimLeading, trimTrailing
    /// [text, length, fill]
    case leftPad, rightPad
    case replace, translate, reverse, repeatText, position, splitPart, ascii, character, quoteLiteral, quoteIdentifier
    /// [text, pattern, escape]; patterns are nearly always constants.
    case like, ilike, similarTo, regexMatch, regexMatchInsensitive
    case regexpReplace, regexpSubstring, regexpInstring, regexpCount
    case octetIndex, soundex, soundDifference, sha224, sha384, sha512, farmFingerprint, checksum
    /// [value, seed?]
    case murmur3
    case md5, sha1, sha256, crc32, fnvHash, strtol, toHex, lengthOfBlob, urlEncode
    case jsonExtractPathText, jsonExtractArrayElementText, jsonArrayLength, isValidJson, isValidJsonArray

    // VARBYTE. [text, format]; [bytes, format]; [bytes, bit]; [bytes, start, count?]
    case fromHex, toVarbyte, fromVarbyte, bytesToHex, getBit, getByte, bytesConcatenate, bytesSubstring
    case bytesNot, bytesAnd, bytesOr, bytesXor
    /// [bytes, index, value]
    case setBit, setByte

    // SUPER. [text, malformed ones are NULL]; [value, name or place, missing ones are errors]
    case jsonParse, canJsonParse, jsonSerialize, jsonSerializeToBytes, jsonTypeOf, jsonSize, superSize
    case superIsArray, superIsBigint, superIsBoolean, superIsChar, superIsDecimal, superIsFloat, superIsInteger
    case superIsObject, superIsScalar, superIsSmallint, superIsVarchar, superDecimalPrecision, superDecimalScale
    case superMember, superElement, superObject, superLowerNames, superUpperNames
    /// [object, paths to keep, path, value, ...]
    case superTransform
    case superArray, superArrayLength, superSubarray, superArrayConcat, superArrayFlatten, superSplitToArray
    /// Bytes whose order is that of the values; the order of two values; see `SuperKey`.
    case superKey, superOrder, superOrdered, superUnordered
    case superAdd, superSubtract, superMultiply, superDivide, superModulo, superAbsolute, superCeiling, superFloor

    // HLLSKETCH. 64 bits of any value; [sketch]; [sketch, sketch], either may be NULL.
    case hllHash, hllCardinality, hllCombineSketches

    // Dates and times.
    case dateAddDays, dateSubtractDays, dateDifference
    case dateAddInterval, timestampAddInterval, timestampSubtract, timeAddInterval
    /// [date, time or timetz] -> timestamp or timestamptz
    case dateAddTime
    case intervalAdd, intervalSubtract, intervalMultiply, intervalDivide, intervalNegate
    /// [part constant, value]
    case datePart, dateTruncate
    /// [part constant, count, value]
    case dateAdd
    /// [part constant, from, to]
    case dateDiff
    /// [start, end, start, end], all of one type that is stored in 64 bits; any may be NULL.
    case overlaps
    /// CONNECT BY NOCYCLE's ways from the roots: [way, row number], eight bytes for each row.
    case wayExtended, wayContains
    case addMonths, monthsBetween, lastDay, nextDay, age
    case atTimeZone, timestampToZone
    /// [zone, TIMETZ]: the same moment with another offset.
    case timeToZone
    case toCharDatetime, toCharNumber, toDate, toTimestamp, toNumber
    /// [text, template?] in Teradata's style
    case zonedTextToInteger, zonedTextToDecimal
    case makeDate, epochToTimestamp
    case currentDate, currentTimestamp, getDate, timeOfDay

    // Session facts: folded to constants by the session before execution.
    case currentUser, currentDatabase, currentSchema, version, backendPID, currentSetting

    // Catalog questions: answered by the session a row at a time, see `SessionFacts.catalog`.
    case userByID, currentUserID, formatType, isVisible, viewDefinition, constraintDefinition, indexDefinition
    case objectDescription, columnDescription, currentSchemas, encodingName, columnEncodingName, lastQueryFact
    case relationSize, databaseSize, prettySize, encodingNumber, formatText
    /// [user?, object, privilege]
    case hasTablePrivilege, hasSchemaPrivilege, hasDatabasePrivilege, hasColumnPrivilege, hasFunctionPrivilege
    case hasLanguagePrivilege, hasAssumeRolePrivilege
    /// Membership: [user?, role, privilege], [user, role or group], [role, granted role]
    case hasRole, isMemberOf, roleIsMemberOf
    case relationID, relationName, typeID, typeNameOfID, namespaceID, namespaceName, procedureName, procedureSignature
    /// Entries of access lists: [user, group, grantor, privilege, grantable], [list, entry]
    case makeAccessItem, containsAccessItem
    /// [process id]
    case cancelBackend, terminateBackend
    /// [name, value, is local]
    case setSetting
    case clusterNamespace, awsAccount, defaultRole, databaseCollation
    /// [query, session or user, priority]
    case changeQueryPriority, changeSessionPriority, changeUserPriority
    /// The first argument as it is, whatever the others say: `pg_get_expr`.
    case firstArgument
    /// [array as text, value as text], [array as text, subscript] ...: arrays of catalogs are text such as `{1,2}`.
    case arrayContains, arrayElement, arrayUpper, arrayLower, arrayToString, makeArray
}
