import SQLTypes

extension FunctionSignature {
    /// Functions and operators of VARBYTE.
    static let binary: [FunctionSignature] = [
        FunctionSignature(["from_hex"], .fromHex, [.string], returns: .computed(halved)),
        FunctionSignature(["to_varbyte"], .toVarbyte, [.string, .string], returns: .computed(decoded)),
        FunctionSignature(["from_varbyte"], .fromVarbyte, [.bytes, .string], returns: .longText),
        FunctionSignature(["to_hex"], .bytesToHex, [.bytes], returns: .textLike(0)),
        FunctionSignature(["getbit", "get_bit"], .getBit, [.bytes, .integer], returns: .integer),
        FunctionSignature(["get_byte"], .getByte, [.bytes, .integer], returns: .integer),
        FunctionSignature(["set_bit"], .setBit, [.bytes, .integer, .integer], returns: .argument(0)),
        FunctionSignature(["set_byte"], .setByte, [.bytes, .integer, .integer], returns: .argument(0)),
        FunctionSignature(
            ["length", "len", "octet_length", "char_length", "character_length", "textlen"], .octetLength, [.bytes],
            returns: .integer),
        FunctionSignature(
            ["substring", "substr"], .bytesSubstring, [.bytes, .integer, .integer.optional], returns: .argument(0)),
        FunctionSignature(["concat", "||"], .bytesConcatenate, [.bytes, .bytes], returns: .computed(joined)),
        FunctionSignature(["~"], .bytesNot, [.bytes], returns: .argument(0)),
        FunctionSignature(["&"], .bytesAnd, [.bytes, .bytes], returns: .argument(0)),
        FunctionSignature(["|"], .bytesOr, [.bytes, .bytes], returns: .argument(0)),
        FunctionSignature(["hierarchy_way"], .wayExtended, [.bytes, .bigint], returns: .longBytes),
        FunctionSignature(["hierarchy_way_contains"], .wayContains, [.bytes, .bigint], returns: .boolean),
        FunctionSignature(["#"], .bytesXor, [.bytes, .bytes], returns: .argument(0)),
    ]

    private static func bytes(_ length: Int) -> SQLType {
        .varbyte(max(1, min(length, SQLType.maximumVarbyteLength)))
    }
    private static let halved: @Sendable ([SQLType]) -> SQLType = { bytes(($0[0].textLength + 1) / 2) }
    private static let decoded: @Sendable ([SQLType]) -> SQLType = { bytes($0[0].textLength) }
    private static let joined: @Sendable ([SQLType]) -> SQLType = { types in
        bytes(types.reduce(0) { $0 + ($1.length ?? 0) })
    }
}
