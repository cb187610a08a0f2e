import QueryPlan
import SQLSyntax
import SQLTypes

/// `OBJECT_TRANSFORM(object KEEP '"a"."b"', ... SET '"c"', value, ...)`. The parser gives the two lists as arrays, or
/// NULL.
struct ObjectTransformCall {
    private let binder: ExpressionBinder
    private static let longestPath = 64

    init(_ binder: ExpressionBinder) { self.binder = binder }

    func bind(_ call: FunctionCall) throws -> BoundExpression {
        guard call.arguments.count == 3 else {
            throw SQLError(
                .syntaxError, "OBJECT_TRANSFORM needs KEEP or SET with paths behind the object", at: call.position)
        }
        let object = try binder.bind(call.arguments[0])
        guard object.type == .semistructured else { throw binder.unknownFunction(call, [object.type]) }
        let kept = try list(call.arguments[1]).map { try path($0) }
        var arguments = [object, kept.isEmpty ? .constant(.null, .semistructured) : try Self.constant(kept)]
        let changes = try list(call.arguments[2])
        guard changes.count % 2 == 0 else {
            throw SQLError(.syntaxError, "SET of OBJECT_TRANSFORM needs a value for each path", at: call.position)
        }
        for place in stride(from: 0, to: changes.count, by: 2) {
            arguments.append(try Self.constant(try path(changes[place])))
            let value = try binder.bind(changes[place + 1])
            guard SuperCasts.knows(value.type.family) else {
                throw SQLError(
                    .cannotCoerce, "cannot cast type \(value.type.nameWithoutModifiers) to super",
                    at: changes[place + 1].position)
            }
            arguments.append(
                try binder.coercion.cast(value, to: .semistructured, .implicit, at: changes[place + 1].position))
        }
        return .call(.superTransform, arguments, .semistructured)
    }

    private func list(_ argument: Expression) throws -> [Expression] {
        if case .array(let list) = argument { return list.elements }
        return []
    }

    /// The names of `"a"."b"`.
    private func path(_ expression: Expression) throws -> [[UInt8]] {
        guard let text = try binder.constantText(expression) else {
            throw SQLError(.syntaxError, "paths of OBJECT_TRANSFORM must be string literals", at: expression.position)
        }
        var names: [[UInt8]] = []
        var rest = Array(text.utf8)[...]
        while rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) {
            names.append(Array(rest[(rest.startIndex + 1)..<end]))
            rest = rest[(end + 1)...]
            if rest.isEmpty, names.count <= Self.longestPath { return names }
            guard rest.popFirst() == UInt8(ascii: ".") else { break }
        }
        throw SQLError(
            .invalidParameterValue, "invalid path for OBJECT_TRANSFORM: \(text)",
            hint: "Names stand in double quotes, with dots between them: '\"a\".\"b\"'; at most \(Self.longestPath).",
            at: expression.position)
    }

    private static func constant(_ names: [[UInt8]]) throws -> BoundExpression {
        try constant { builder in
            for name in names { name.withUnsafeBufferPointer { builder.string($0) } }
        }
    }

    private static func constant(_ paths: [[[UInt8]]]) throws -> BoundExpression {
        try constant { builder in
            for path in paths {
                builder.begin(object: false)
                for name in path { name.withUnsafeBufferPointer { builder.string($0) } }
                try builder.end()
            }
        }
    }

    private static func constant(_ fill: (SuperBuilder) throws -> Void) throws -> BoundExpression {
        let builder = SuperBuilder()
        builder.begin(object: false)
        try fill(builder)
        try builder.end()
        return .constant(.string(builder.array), .semistructured)
    }
}
