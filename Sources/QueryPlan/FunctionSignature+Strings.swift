import SQLTypes

extension FunctionSignature {
    private static let blank = Datum.text(" ")

    static let strings: [FunctionSignature] = [
        FunctionSignature(["concat", "||"], .concatenate, [.text, .text], returns: .computed(concatenated)),
        FunctionSignature(
            ["length", "len", "char_length", "character_length", "textlen"], .length, [.string], returns: .integer),
        FunctionSignature(["octet_length"], .octetLength, [.string], returns: .integer),
        FunctionSignature(["lower", "lcase"], .lower, [.string], returns: .argument(0)),
        FunctionSignature(["upper", "ucase"], .upper, [.string], returns: .argument(0)),
        FunctionSignature(["initcap"], .initialCapitals, [.string], returns: .argument(0)),
        FunctionSignature(
            ["substring", "substr"], .substring, [.string, .integer, .integer.optional], returns: .textLike(0)),
        FunctionSignature(["left", "strleft"], .left, [.string, .integer], returns: .textLike(0)),
        FunctionSignature(["right", "strright"], .right, [.string, .integer], returns: .textLike(0)),
        FunctionSignature(["btrim", "trim"], .trimBoth, [.string, .string.defaulting(blank)], returns: .textLike(0)),
        FunctionSignature(["ltrim"], .trimLeading, [.string, .string.defaulting(blank)], returns: .textLike(0)),
        FunctionSignature(["collate"], .collate, [.string, .string], returns: .argument(0)),
        FunctionSignature(["rtrim"], .trimTrailing, [.string, .string.defaulting(blank)], returns: .textLike(0)),
        FunctionSignature(["lpad"], .leftPad, [.text, .integer, .string.defaulting(blank)], returns: .longText),
        FunctionSignature(["rpad"], .rightPad, [.text, .integer, .string.defaulting(blank)], returns: .longText),
        FunctionSignature(["replace"], .replace, [.string, .string, .string], returns: .longText),
        FunctionSignature(["translate"], .translate, [.string, .string, .string], returns: .textLike(0)),
        FunctionSignature(["reverse"], .reverse, [.text], returns: .textLike(0)),
        FunctionSignature(["repeat", "replicate"], .repeatText, [.text, .integer], returns: .longText),
        // [text, wanted]: STRPOS order. POSITION and CHARINDEX are turned round by the binder.
        FunctionSignature(["strpos"], .position, [.string, .string], returns: .integer),
        FunctionSignature(["split_part"], .splitPart, [.string, .string, .integer], returns: .textLike(0)),
        FunctionSignature(["ascii"], .ascii, [.string], returns: .integer),
        FunctionSignature(["chr"], .character, [.integer], returns: .text(4)),
        FunctionSignature(["quote_literal"], .quoteLiteral, [.string], returns: .longText),
        FunctionSignature(["quote_ident"], .quoteIdentifier, [.string], returns: .longText),
        FunctionSignature(["strtol"], .strtol, [.string, .integer], returns: .bigint),
        FunctionSignature(["to_hex"], .toHex, [.integer], returns: .text(8)),
        FunctionSignature(["to_hex"], .toHex, [.bigint], returns: .text(16)),
        FunctionSignature(["md5"], .md5, [.string], returns: .text(32)),
        FunctionSignature(["md5"], .md5, [.bytes], returns: .text(32)),
        FunctionSignature(["sha1", "sha", "func_sha1"], .sha1, [.string], returns: .text(40)),
        FunctionSignature(["sha1", "sha", "func_sha1"], .sha1, [.bytes], returns: .text(40)),
        FunctionSignature(["sha256"], .sha256, [.string], returns: .text(64)),
        FunctionSignature(["sha256"], .sha256, [.bytes], returns: .text(64)),
        FunctionSignature(["sha224"], .sha224, [.string], returns: .text(56)),
        FunctionSignature(["sha224"], .sha224, [.bytes], returns: .text(56)),
        FunctionSignature(["sha384"], .sha384, [.string], returns: .text(96)),
        FunctionSignature(["sha384"], .sha384, [.bytes], returns: .text(96)),
        FunctionSignature(["sha512"], .sha512, [.string], returns: .text(128)),
        FunctionSignature(["sha512"], .sha512, [.bytes], returns: .text(128)),
        FunctionSignature(["farmfingerprint64"], .farmFingerprint, [.string], returns: .bigint),
        FunctionSignature(["farmfingerprint64"], .farmFingerprint, [.bytes], returns: .bigint),
        FunctionSignature(["murmur3_32_hash"], .murmur3, [.any, .integer.optional], returns: .integer),
        FunctionSignature(["checksum"], .checksum, [.string], returns: .integer),
        FunctionSignature(["soundex"], .soundex, [.string], returns: .text(4)),
        FunctionSignature(["difference"], .soundDifference, [.string, .string], returns: .integer),
        FunctionSignature(["octetindex"], .octetIndex, [.string, .string], returns: .integer),
        FunctionSignature(["crc32"], .crc32, [.string], returns: .text(8)),
        FunctionSignature(["fnv_hash"], .fnvHash, [.any, .bigint.optional], returns: .bigint, strict: false),
        FunctionSignature(["bit_length"], .lengthOfBlob, [.string], returns: .integer),
        FunctionSignature(["url_encode", "urlencode"], .urlEncode, [.string], returns: .longText),
    ]

    /// [text, pattern, escape] of LIKE and SIMILAR TO; the escape is one character, or empty for none.
    static let patterns: [FunctionSignature] = [
        FunctionSignature(
            ["like", "~~"], .like, [.string, .string, .string.defaulting(.text("\\"))], returns: .boolean),
        FunctionSignature(
            ["ilike", "~~*"], .ilike, [.string, .string, .string.defaulting(.text("\\"))], returns: .boolean),
        FunctionSignature(
            ["similar_to"], .similarTo, [.string, .string, .string.defaulting(.text("\\"))], returns: .boolean),
        FunctionSignature(["~"], .regexMatch, [.string, .string], returns: .boolean),
        FunctionSignature(["~*"], .regexMatchInsensitive, [.string, .string], returns: .boolean),
        // [text, pattern, replacement, position, parameters]
        FunctionSignature(
            ["regexp_replace"], .regexpReplace,
            [
                .string, .string, .string.defaulting(.text("")), .integer.defaulting(.integer(1)),
                .string.defaulting(.text("c")),
            ], returns: .longText),
        // [text, pattern, position, occurrence, parameters]
        FunctionSignature(
            ["regexp_substr"], .regexpSubstring,
            [
                .string, .string, .integer.defaulting(.integer(1)), .integer.defaulting(.integer(1)),
                .string.defaulting(.text("c")),
            ], returns: .textLike(0)),
        // [text, pattern, position, occurrence, option, parameters]
        FunctionSignature(
            ["regexp_instr"], .regexpInstring,
            [
                .string, .string, .integer.defaulting(.integer(1)), .integer.defaulting(.integer(1)),
                .integer.defaulting(.integer(0)), .string.defaulting(.text("c")),
            ], returns: .integer),
        // [text, pattern, position, parameters]
        FunctionSignature(
            ["regexp_count"], .regexpCount,
            [.string, .string, .integer.defaulting(.integer(1)), .string.defaulting(.text("c"))], returns: .integer),
    ]

    static let json: [FunctionSignature] = [
        // [text, null if invalid, key ...]: the binder brings the optional last argument to the front.
        FunctionSignature(
            ["json_extract_path_text"], .jsonExtractPathText, [.string, .boolean, .string], returns: .longText,
            variadic: true),
        FunctionSignature(
            ["json_extract_array_element_text"], .jsonExtractArrayElementText,
            [.string, .integer, .boolean.defaulting(.boolean(false))], returns: .longText),
        FunctionSignature(
            ["json_array_length"], .jsonArrayLength, [.string, .boolean.defaulting(.boolean(false))],
            returns: .integer),
        FunctionSignature(["is_valid_json"], .isValidJson, [.string], returns: .boolean),
        FunctionSignature(["is_valid_json_array"], .isValidJsonArray, [.string], returns: .boolean),
    ]

    private static let concatenated: @Sendable ([SQLType]) -> SQLType = { types in
        .varchar(max(1, min(SQLType.maximumVarcharLength, types.reduce(0) { $0 + $1.textLength })))
    }
}
