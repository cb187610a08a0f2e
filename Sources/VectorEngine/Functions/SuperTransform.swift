import ColumnVectors
import SQLTypes

/// OBJECT_TRANSFORM: of an object the paths to keep, with values set at paths.
enum SuperTransform {
    /// [object, paths to keep or NULL, path, value, ...]; a path is an array of names.
    static let kernel = FunctionKernel.built(nulls: .custom) { frame, row, builder in
        guard !frame.isNull(0, row), try frame.semistructured(0, row).kind() == .object else { return false }
        var kept: [Path]?
        if !frame.isNull(1, row) {
            let paths = try frame.semistructured(1, row).container()
            kept = try (0..<paths.count).map { try path(try paths.value($0)) }
        }
        var changes: [Change] = []
        for place in stride(from: 2, to: frame.arguments.count - 1, by: 2) {
            let value = frame.isNull(place + 1, row) ? nil : frame.semistructured(place + 1, row)
            let path = try path(frame.semistructured(place, row))
            _ = try value?.depth(limit: max(SuperForm.maximumDepth - path.count, 0))
            changes.append(Change(path: path, value: value))
        }
        try append(frame.semistructured(0, row).container(), kept, changes, to: builder)
        return true
    }

    private typealias Path = ArraySlice<[UInt8]>
    private struct Change {
        var path: Path
        /// nil: null.
        var value: SuperView?
    }

    private static func path(_ view: SuperView) throws -> Path {
        let names = try view.container()
        return try (0..<names.count).map { Array(try names.value($0).text()) }[...]
    }

    /// - Parameter kept: what is left of the paths below this object; nil: everything stays.
    private static func append(
        _ object: SuperContainer?, _ kept: [Path]?, _ changes: [Change], to builder: SuperBuilder
    ) throws {
        builder.begin(object: true)
        var made: Set<[UInt8]> = []
        for index in 0..<(object?.count ?? 0) {
            guard let object else { break }
            let name = Array(try object.name(index))
            let below = kept?.filter { $0.first == name }.map { $0.dropFirst() }
            let own = changes.filter { $0.path.first == name }
            if own.isEmpty, let below, below.isEmpty { continue }
            made.insert(name)
            let value = try object.value(index)
            // A path that ends here keeps all that is below.
            let rest = below.flatMap { paths in paths.contains { $0.isEmpty } ? nil : paths }
            try member(name, value, rest, own, to: builder)
        }
        for change in changes {
            guard let name = change.path.first, made.insert(name).inserted else { continue }
            try member(name, nil, nil, changes.filter { $0.path.first == name }, to: builder)
        }
        try builder.end()
    }

    /// Of several changes of a member the last one that names it counts, else those below it.
    private static func member(
        _ name: [UInt8], _ value: SuperView?, _ kept: [Path]?, _ changes: [Change], to builder: SuperBuilder
    ) throws {
        let isObject = try value?.kind() == .object
        if let whole = changes.last(where: { $0.path.count == 1 }) {
            name.withUnsafeBufferPointer { builder.name($0) }
            if let new = whole.value { try builder.value(new) } else { builder.null() }
        } else if !changes.isEmpty || isObject && kept != nil {
            name.withUnsafeBufferPointer { builder.name($0) }
            let below = changes.map { Change(path: $0.path.dropFirst(), value: $0.value) }
            try append(isObject ? value?.container() : nil, kept, below, to: builder)
        } else if let value, kept == nil {
            name.withUnsafeBufferPointer { builder.name($0) }
            try builder.value(value)
        }
    }
}
