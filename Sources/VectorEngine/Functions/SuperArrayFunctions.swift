import ColumnVectors
import QueryPlan
import SQLTypes

/// Functions that make and take apart arrays and objects of SUPER.
enum SuperArrayFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .superArray: array
        case .superObject: object
        case .superTransform: SuperTransform.kernel
        case .superArrayLength: length
        case .superSubarray: subarray
        case .superArrayConcat: concat
        case .superArrayFlatten: flatten
        case .superSplitToArray: split
        case .superLowerNames: renamed { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        case .superUpperNames: renamed { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }
        default: nil
        }
    }

    /// A value inside of another one, which must not become too deep by it.
    private static func nest(_ view: SuperView, _ builder: SuperBuilder) throws {
        _ = try view.depth(limit: SuperForm.maximumDepth - 1)
        try builder.value(view)
    }

    /// NULL is null.
    private static let array = FunctionKernel.built(nulls: .custom) { frame, row, builder in
        builder.begin(object: false)
        for argument in frame.arguments.indices {
            if frame.isNull(argument, row) {
                builder.null()
            } else {
                try nest(frame.semistructured(argument, row), builder)
            }
        }
        try builder.end()
        return true
    }

    /// [name, value, ...]
    private static let object = FunctionKernel.built(nulls: .custom) { frame, row, builder in
        guard frame.arguments.count % 2 == 0 else {
            throw SQLError(.invalidParameterValue, "OBJECT needs a value for each name")
        }
        builder.begin(object: true)
        for pair in 0..<frame.arguments.count / 2 {
            guard !frame.isNull(2 * pair, row), try frame.semistructured(2 * pair, row).kind() == .string else {
                throw SQLError(.invalidParameterValue, "names of attributes must be strings that are not NULL")
            }
            builder.name(frame.semistructured(2 * pair, row).text())
            if frame.isNull(2 * pair + 1, row) {
                builder.null()
            } else {
                try nest(frame.semistructured(2 * pair + 1, row), builder)
            }
        }
        try builder.end()
        return true
    }

    private static let length = FunctionKernel { _ in
        { frame in
            let output = frame.output(Int64.self)
            try frame.forEachRow { row in
                let view = frame.semistructured(0, row)
                if try view.kind() == .array {
                    output[row] = Int64(try view.container().count)
                } else {
                    frame.resultValidity[row] = 0
                }
            }
        }
    }

    /// [array, first place, count]: what of that there is.
    private static let subarray = FunctionKernel.built { frame, row, builder in
        let view = frame.semistructured(0, row)
        guard try view.kind() == .array else { return false }
        let (start, wanted) = (frame.arguments[1].values(Int64.self)[row], frame.arguments[2].values(Int64.self)[row])
        guard start >= 0, wanted >= 0 else {
            throw SQLError(.invalidParameterValue, "start and length of SUBARRAY must not be negative")
        }
        let container = try view.container()
        builder.begin(object: false)
        let first = Int(min(start, Int64(container.count)))
        let last = first + Int(min(wanted, Int64(container.count - first)))
        for index in first..<last { try builder.value(try container.value(index)) }
        try builder.end()
        return true
    }

    private static func append(_ container: SuperContainer, to builder: SuperBuilder) throws {
        for index in 0..<container.count { try builder.value(try container.value(index)) }
    }

    private static let concat = FunctionKernel.built { frame, row, builder in
        let (left, right) = (frame.semistructured(0, row), frame.semistructured(1, row))
        guard try left.kind() == .array, try right.kind() == .array else { return false }
        builder.begin(object: false)
        try append(try left.container(), to: builder)
        try append(try right.container(), to: builder)
        try builder.end()
        return true
    }

    /// Elements of elements that are arrays; the others as they are.
    private static let flatten = FunctionKernel.built { frame, row, builder in
        let view = frame.semistructured(0, row)
        guard try view.kind() == .array else { return false }
        let container = try view.container()
        builder.begin(object: false)
        for index in 0..<container.count {
            let element = try container.value(index)
            if try element.kind() == .array {
                try append(try element.container(), to: builder)
            } else {
                try builder.value(element)
            }
        }
        try builder.end()
        return true
    }

    /// [text, delimiter]: without a delimiter the whole text is the one element.
    private static let split = FunctionKernel.built { frame, row, builder in
        let text = frame.string(0, row).bytes
        let delimiter = frame.string(1, row).bytes
        builder.begin(object: false)
        var start = 0
        var index = 0
        while delimiter.count > 0, index + delimiter.count <= text.count {
            guard text[index] == delimiter[0],
                text[index..<index + delimiter.count].elementsEqual(delimiter)
            else {
                index += 1
                continue
            }
            builder.string(UnsafeBufferPointer(rebasing: text[start..<index]))
            index += delimiter.count
            start = index
        }
        builder.string(UnsafeBufferPointer(rebasing: text[start...]))
        try builder.end()
        return true
    }

    // MARK: Names

    /// Letters of ASCII; in objects at every depth.
    private static func renamed(_ change: @escaping @Sendable (UInt8) -> UInt8) -> FunctionKernel {
        .built { frame, row, builder in
            try rename(frame.semistructured(0, row), change, builder, depth: 0)
            return true
        }
    }

    private static func rename(
        _ view: SuperView, _ change: (UInt8) -> UInt8, _ builder: SuperBuilder, depth: Int
    ) throws {
        let kind = try view.kind()
        guard kind.isContainer else { return try builder.value(view) }
        guard depth < SuperForm.maximumDepth else { throw SuperForm.tooDeep }
        let container = try view.container()
        builder.begin(object: kind == .object)
        for index in 0..<container.count {
            if kind == .object {
                for byte in try container.name(index) { builder.nameBuffer.append(change(byte)) }
                builder.endName()
            }
            try rename(try container.value(index), change, builder, depth: depth + 1)
        }
        try builder.end()
    }
}
