import SQLTypes

extension FunctionSignature {
    /// Functions of SUPER, and what the binder writes for its operators, its navigation and its order.
    static let semistructured: [FunctionSignature] =
        superTexts + superTests + superParts + superArrays + superOperators

    private static let document = ResultRule.fixed(.semistructured)

    private static let superTexts: [FunctionSignature] = [
        // [text, malformed texts are NULL]: the binder knows the setting.
        FunctionSignature(
            ["json_parse"], .jsonParse, [.string, .boolean.defaulting(.boolean(false))], returns: document),
        FunctionSignature(
            ["json_parse"], .jsonParse, [.bytes, .boolean.defaulting(.boolean(false))], returns: document),
        FunctionSignature(["can_json_parse"], .canJsonParse, [.string], returns: .boolean),
        FunctionSignature(["can_json_parse"], .canJsonParse, [.bytes], returns: .boolean),
        FunctionSignature(["json_serialize"], .jsonSerialize, [.semistructured], returns: .longText),
        FunctionSignature(
            ["json_serialize_to_varbyte"], .jsonSerializeToBytes, [.semistructured], returns: .longBytes),
        FunctionSignature(["json_typeof"], .jsonTypeOf, [.semistructured], returns: .text(16)),
        FunctionSignature(["json_size"], .jsonSize, [.semistructured], returns: .integer),
        FunctionSignature(["size"], .superSize, [.semistructured], returns: .integer),
    ]

    private static let superTests: [FunctionSignature] = [
        FunctionSignature(["is_array"], .superIsArray, [.semistructured], returns: .boolean),
        FunctionSignature(["is_bigint"], .superIsBigint, [.semistructured], returns: .boolean),
        FunctionSignature(["is_boolean"], .superIsBoolean, [.semistructured], returns: .boolean),
        FunctionSignature(["is_char"], .superIsChar, [.semistructured], returns: .boolean),
        FunctionSignature(["is_decimal"], .superIsDecimal, [.semistructured], returns: .boolean),
        FunctionSignature(["is_float"], .superIsFloat, [.semistructured], returns: .boolean),
        FunctionSignature(["is_integer"], .superIsInteger, [.semistructured], returns: .boolean),
        FunctionSignature(["is_object"], .superIsObject, [.semistructured], returns: .boolean),
        FunctionSignature(["is_scalar"], .superIsScalar, [.semistructured], returns: .boolean),
        FunctionSignature(["is_smallint"], .superIsSmallint, [.semistructured], returns: .boolean),
        FunctionSignature(["is_varchar"], .superIsVarchar, [.semistructured], returns: .boolean),
        FunctionSignature(["decimal_precision"], .superDecimalPrecision, [.semistructured], returns: .integer),
        FunctionSignature(["decimal_scale"], .superDecimalScale, [.semistructured], returns: .integer),
    ]

    private static let superParts: [FunctionSignature] = [
        // [value, name or place, missing ones are errors]
        FunctionSignature(["super_member"], .superMember, [.semistructured, .string, .boolean], returns: document),
        FunctionSignature(["super_element"], .superElement, [.semistructured, .bigint, .boolean], returns: document),
        FunctionSignature(
            ["object"], .superObject, [.superValue.optional], returns: document, variadic: true, strict: false),
        // The binder makes the paths.
        FunctionSignature(
            ["object_transform"], .superTransform, [.semistructured, .semistructured, .superValue.optional],
            returns: document, variadic: true, strict: false),
        FunctionSignature(
            ["lower_attribute_names"], .superLowerNames, [.semistructured], returns: document),
        FunctionSignature(
            ["upper_attribute_names"], .superUpperNames, [.semistructured], returns: document),
    ]

    private static let superArrays: [FunctionSignature] = [
        FunctionSignature(
            ["array"], .superArray, [.superValue.optional], returns: document, variadic: true, strict: false),
        FunctionSignature(["get_array_length"], .superArrayLength, [.semistructured], returns: .bigint),
        FunctionSignature(
            ["subarray"], .superSubarray, [.semistructured, .bigint, .bigint], returns: document),
        FunctionSignature(["array_concat"], .superArrayConcat, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["array_flatten"], .superArrayFlatten, [.semistructured], returns: document),
        FunctionSignature(
            ["split_to_array"], .superSplitToArray, [.string, .string.defaulting(.text(","))], returns: document),
    ]

    private static let superOperators: [FunctionSignature] = [
        FunctionSignature(["super_key"], .superKey, [.semistructured], returns: .longBytes),
        FunctionSignature(["super_order"], .superOrder, [.semistructured, .semistructured], returns: .integer),
        // [value] -> its key, itself, the key's length; and back
        FunctionSignature(["super_ordered"], .superOrdered, [.semistructured], returns: .longBytes),
        FunctionSignature(["super_unordered"], .superUnordered, [.bytes], returns: document),
        FunctionSignature(["super_add"], .superAdd, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["super_subtract"], .superSubtract, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["super_multiply"], .superMultiply, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["super_divide"], .superDivide, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["super_modulo"], .superModulo, [.semistructured, .semistructured], returns: document),
        FunctionSignature(["abs"], .superAbsolute, [.semistructured], returns: document),
        FunctionSignature(["ceil", "ceiling"], .superCeiling, [.semistructured], returns: document),
        FunctionSignature(["floor"], .superFloor, [.semistructured], returns: document),
    ]
}
