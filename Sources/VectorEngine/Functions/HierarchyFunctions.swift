import ColumnVectors
import QueryPlan
import SQLTypes

/// The rows between a row of CONNECT BY NOCYCLE and its root, as VARBYTE: eight bytes with the number of each.
enum HierarchyFunctions {
    private static let width = MemoryLayout<Int64>.size
    private static let mostRows = SQLType.maximumVarbyteLength / width

    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .wayExtended: extended
        case .wayContains: contains
        default: nil
        }
    }

    private static let extended = FunctionKernel.bytes { frame, row, buffer in
        let way = frame.string(0, row)
        guard Int(way.count) + width <= SQLType.maximumVarbyteLength else {
            throw SQLError(
                "54000", "CONNECT BY NOCYCLE is limited to \(mostRows) levels",
                hint: "Without NOCYCLE there is no such limit, if the rows have no cycles.")
        }
        buffer.append(way.pointer, Int(way.count))
        var number = frame.arguments[1].values(Int64.self)[row].littleEndian
        withUnsafeBytes(of: &number) { bytes in for byte in bytes { buffer.append(byte) } }
    }

    private static let contains = FunctionKernel { _ in
        { frame in
            let ways = frame.arguments[0].values(StringView.self)
            let numbers = frame.arguments[1].values(Int64.self)
            let output = frame.output(UInt8.self)
            frame.forEachRow { row in
                let way = UnsafeRawPointer(ways[row].pointer)
                let wanted = numbers[row].littleEndian
                var isFound = false
                for place in 0..<Int(ways[row].count) / width where !isFound {
                    isFound = way.loadUnaligned(fromByteOffset: place * width, as: Int64.self) == wanted
                }
                output[row] = b2u(isFound)
            }
        }
    }
}
