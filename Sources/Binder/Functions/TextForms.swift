import QueryPlan
import SQLSyntax
import SQLTypes

/// Special forms of strings, hashes, JSON, formats and time zones.
struct TextForms {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var calls: SignatureCall { SignatureCall(binder.session) }

    static let all: [SpecialForm] = [
        SpecialForm(["position"], [[.string, .string]], returns: .integer) {
            try TextForms($0).position($1, wantedFirst: $1.form != .positionIn)
        },
        SpecialForm(["charindex"], [[.string, .string]], returns: .integer) {
            try TextForms($0).position($1, wantedFirst: true)
        },
        SpecialForm(["sha2"], [[.string, .integer], [.bytes, .integer]], returns: .text(128)) {
            try TextForms($0).sha2($1)
        },
        SpecialForm(
            ["json_extract_path_text"],
            [[.string, .string], [.string, .string, .boolean], [.string, .string, .string, .boolean]],
            returns: .longText
        ) { try TextForms($0).jsonPath($1) },
        SpecialForm(
            ["convert_timezone"],
            [[.string, .timestamp], [.string, .timestamptz], [.string, .string, .timestamp]], returns: .timestamp
        ) { try TextForms($0).convertTimezone($1) },
        SpecialForm(["collate"]) { try CollateCall.bind($0, $1) },
        SpecialForm(["to_ascii"], [[.string], [.string, .string]], returns: .longText) { _, call in
            // As a server says whose databases are all in UTF-8: the function knows single-byte encodings alone.
            throw SQLError(
                .featureNotSupported, "encoding conversion from UTF8 to ASCII not supported", at: call.position)
        },
        SpecialForm(["to_number"]) { try TextForms($0).toNumber($1) },
        SpecialForm(
            ["text_to_numeric_alt"],
            [
                [.string], [.string, .string], [.string, .integer, .integer], [.string, .string, .integer, .integer],
            ], returns: .fixed(.decimal(precision: 38, scale: 0))
        ) { try TextForms($0).zonedDecimal($1) },
        SpecialForm(["date"], [[], [.any]], returns: .date) { try TextForms($0).cast($1, to: .date) },
        SpecialForm(["timestamp"], [[], [.any]], returns: .timestamp) { try TextForms($0).cast($1, to: .timestamp) },
        SpecialForm(["regexp_replace", "regexp_substr", "regexp_instr", "regexp_count"]) {
            try TextForms($0).checkPattern($1)
            return nil
        },
    ]

    /// Comparisons that say -1, 0 or 1.
    static let threeWay: [SpecialForm] = [
        ("date_cmp", .date, .date), ("date_cmp_timestamp", .date, .timestamp),
        ("date_cmp_timestamptz", .date, .timestamptz), ("timestamp_cmp", .timestamp, .timestamp),
        ("timestamp_cmp_date", .timestamp, .date), ("timestamp_cmp_timestamptz", .timestamp, .timestamptz),
        ("timestamptz_cmp", .timestamptz, .timestamptz), ("timestamptz_cmp_date", .timestamptz, .date),
        ("timestamptz_cmp_timestamp", .timestamptz, .timestamp), ("interval_cmp", .interval, .interval),
        ("bpcharcmp", .string, .string), ("bttext_pattern_cmp", .string, .string),
    ].map { (name: String, first: Parameter, second: Parameter) in
        SpecialForm([name], [[first, second]], returns: .integer) {
            try TextForms($0).threeWay($1, [first, second])
        }
    }

    private func arguments(_ call: FunctionCall, _ counts: ClosedRange<Int>) throws -> [BoundExpression] {
        let bound = try call.arguments.map { try binder.bind($0) }
        guard counts.contains(bound.count) else { throw binder.unknownFunction(call, bound.map(\.type)) }
        return bound
    }

    private func resolved(
        _ name: String, _ arguments: [BoundExpression], for call: FunctionCall
    ) throws -> BoundExpression {
        guard let bound = try calls.resolve(name, arguments, at: call.position) else {
            throw binder.unknownFunction(call, arguments.map(\.type))
        }
        return bound
    }

    private func position(_ call: FunctionCall, wantedFirst: Bool) throws -> BoundExpression {
        let bound = try arguments(call, 2...2)
        return try resolved("strpos", wantedFirst ? bound.reversed() : bound, for: call)
    }

    private func sha2(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 2...2)
        guard case .constant(.integer(let bits), _) = bound[1] else {
            throw binder.unsupported("SHA2 with a number of bits that is no constant", call.position)
        }
        switch bits {
        case 224, 256, 384, 512: return try resolved("sha\(bits)", [bound[0]], for: call)
        case 0: return try resolved("sha256", [bound[0]], for: call)
        // Other numbers give an empty text, but NULL for NULL.
        default: return try resolved("left", [bound[0], ExpressionBinder.integer(0)], for: call)
        }
    }

    /// (text, key ... [, null if invalid]) becomes (text, null if invalid, key ...).
    private func jsonPath(_ call: FunctionCall) throws -> BoundExpression {
        var bound = try arguments(call, 2...8)
        var flag = BoundExpression.constant(.boolean(false), .boolean)
        if bound.count > 2, bound[bound.count - 1].type == .boolean { flag = bound.removeLast() }
        bound.insert(flag, at: 1)
        return try resolved("json_extract_path_text", bound, for: call)
    }

    /// CONVERT_TIMEZONE([source,] target, moment): the source is UTC by default.
    private func convertTimezone(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 2...3)
        let source = bound.count == 3 ? bound[0] : .constant(.text("UTC"), .varchar(3))
        let target = bound[bound.count - 2]
        var moment = bound[bound.count - 1]
        if moment.type != .timestamptz {
            let local = try binder.coercion.cast(moment, to: .timestamp, .implicit, at: call.position)
            moment = try resolved("timezone", [source, local], for: call)
        }
        return try resolved("timezone", [target, moment], for: call)
    }

    private func threeWay(_ call: FunctionCall, _ parameters: [Parameter]) throws -> BoundExpression {
        let given = try arguments(call, 2...2)
        let bound = try zip(given, parameters).map { value, parameter in
            if case .exactly(let type) = parameter.accepts {
                // The kinds of intervals compare among themselves.
                if type == .interval, value.type.isInterval { return value }
                guard value.type == .unknown || CastPermission.allows(value.type, type, .implicit) else {
                    throw binder.unknownFunction(call, given.map(\.type))
                }
                if value.type != .unknown { return value }
                return try binder.coercion.cast(value, to: type, .implicit, at: call.position)
            }
            guard ArgumentClass.string.distance(from: value.type) != nil else {
                throw binder.unknownFunction(call, given.map(\.type))
            }
            if value.type.isString { return value }
            let text = try binder.coercion.resolved(value)
            return try binder.coercion.cast(
                text, to: .varchar(max(text.type.textLength, 1)), .implicit, at: call.position)
        }
        let sides = try alike(bound, at: call.position)
        let less = try binder.comparison.compare(.less, sides[0], sides[1], at: call.position)
        let equal = try binder.comparison.compare(.equal, sides[0], sides[1], at: call.position)
        let greater = try binder.comparison.compare(.greater, sides[0], sides[1], at: call.position)
        let results = [-1, 0, 1].map { ExpressionBinder.integer($0) } + [.constant(.null, .integer)]
        return try binder.caseWhen([less, equal, greater], results, word: "CASE", at: call.position)
    }

    /// Moments of two types as the wider one, constants like columns: a date may lie beyond the timestamps.
    private func alike(_ sides: [BoundExpression], at position: SourcePosition) throws -> [BoundExpression] {
        let types = sides.map(\.type)
        guard types[0] != types[1], types.allSatisfy({ [.date, .timestamp, .timestamptz].contains($0) }) else {
            return sides
        }
        let wider: SQLType = types.contains(.timestamptz) ? .timestamptz : .timestamp
        return try sides.map { try binder.coercion.cast($0, to: wider, .implicit, at: position) }
    }

    /// The template says how many digits there are behind the point; one that is no constant leaves room for ten.
    private func toNumber(_ call: FunctionCall) throws -> BoundExpression? {
        guard call.arguments.count == 2, let template = try binder.constantText(call.arguments[1]) else { return nil }
        let type: SQLType
        do { type = try NumberFormat(template).resultType } catch let error as SQLError {
            throw error.at(call.position)
        }
        let bound = try resolved("to_number", try arguments(call, 2...2), for: call)
        guard case .call(let function, let arguments, _) = bound else { return bound }
        return .call(function, arguments, type)
    }

    /// TEXT_TO_NUMERIC_ALT(text [, format] [, precision, scale])
    private func zonedDecimal(_ call: FunctionCall) throws -> BoundExpression {
        var bound = try arguments(call, 1...4)
        var type = SQLType.decimal(precision: 38, scale: 0)
        if bound.count > 2 {
            guard case .constant(.integer(let scale), _) = bound.removeLast(),
                case .constant(.integer(let precision), _) = bound.removeLast()
            else {
                throw SQLError(
                    .invalidParameterValue, "precision and scale of TEXT_TO_NUMERIC_ALT must be constants",
                    at: call.position)
            }
            guard (1...38).contains(precision), (0...precision).contains(scale) else {
                throw SQLError(
                    .invalidParameterValue, "NUMERIC precision \(precision) must be between 1 and 38", at: call.position
                )
            }
            type = .decimal(precision: Int(precision), scale: Int(scale))
        }
        let found = try resolved("text_to_numeric_alt", bound, for: call)
        guard case .call(let function, let arguments, _) = found else { return found }
        return .call(function, arguments, type)
    }

    /// Without an argument it is a clock, which the function table knows.
    private func cast(_ call: FunctionCall, to type: SQLType) throws -> BoundExpression? {
        guard call.arguments.count == 1 else { return nil }
        let bound = try arguments(call, 1...1)
        return try binder.coercion.cast(bound[0], to: type, .explicit, at: call.position)
    }

    /// Compute nodes take literals alone; queries of catalogs run on the leader, which takes any pattern.
    private func checkPattern(_ call: FunctionCall) throws {
        guard call.arguments.count > 1, !binder.session.scannedTables.isEmpty else { return }
        if case .constant(let value, _) = try binder.bind(call.arguments[1]), value != .null { return }
        if case .parameter = call.arguments[1] { return binder.session.noteDependence() }
        throw SQLError(
            .featureNotSupported, "The pattern must be a valid UTF-8 literal character expression",
            at: call.arguments[1].position)
    }
}
