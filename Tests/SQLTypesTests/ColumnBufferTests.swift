import Testing

@testable import ColumnVectors
@testable import SQLTypes

@Suite struct ColumnBufferTests {
    private func view(_ text: String, _ body: (StringView) -> Void) {
        reading(text) { body(StringView($0, count: $1)) }
    }

    @Test func stringViewsCompareAsBytes() {
        let texts = [
            "", "a", "ab", "abc", "abcd", "abcde", "abcdefgh", "abcdefgi", "abd", "b", "zwölf",
            "a long string of many bytes", "a long string of many bytez",
        ]
        for left in texts {
            for right in texts {
                view(left) { first in
                    view(right) { second in
                        let order = StringView.compare(first, second)
                        #expect((order < 0) == Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8)))
                        #expect((order == 0) == (left == right))
                        #expect(StringView.equal(first, second) == (left == right))
                        if left == right {
                            #expect(first.hash == second.hash)
                        } else {
                            #expect(first.hash != second.hash)
                        }
                    }
                }
            }
            view(left + "   ") { padded in
                view(left) { plain in
                    #expect(StringView.equalTrimmed(padded, plain))
                    #expect(StringView.compareTrimmed(padded, plain) == 0)
                    #expect(padded.hashTrimmed == plain.hash)
                    #expect(!StringView.equal(padded, plain))
                }
            }
        }
    }

    @Test func batchesWithSelectionAndNulls() throws {
        let buffer = ColumnBuffer(.bigint)
        let values: [Int32] = [10, -20, 30, 40]
        let validity: [UInt8] = [1, 0, 1, 1]
        try buffer.append(values: values, as: .int32, validity: nil, selection: nil, count: 4)
        #expect(buffer.validity == nil)
        try buffer.append(values: values, as: .int32, validity: validity, selection: [0, 2], count: 2)
        #expect(buffer.validity == nil)
        try buffer.append(values: values, as: .int32, validity: validity, selection: [1, 3], count: 2)
        try buffer.append(.null, repeated: 2)
        try buffer.append(.integer(5), repeated: 3)
        let rows = (0..<buffer.count).map { buffer.datum(row: $0, type: .bigint) }
        #expect(
            rows == [
                .integer(10), .integer(-20), .integer(30), .integer(40), .integer(10), .integer(30), .null,
                .integer(40),
                .null, .null, .integer(5), .integer(5), .integer(5),
            ])
    }

    @Test func stringsAreOwned() throws {
        let buffer = ColumnBuffer(.varchar(100))
        for round in 0..<2_000 {
            try reading("value number \(round)") { pointer, count in
                var view = StringView(pointer, count: count)
                try buffer.append(values: &view, validity: nil, selection: nil, count: 1)
            }
        }
        let other = ColumnBuffer(.varchar(100))
        try other.appendNull()
        try other.append(buffer)
        #expect(other.count == 2_001)
        #expect(other.datum(row: 0, type: .varchar(100)) == .null)
        #expect(other.datum(row: 2_000, type: .varchar(100)) == .text("value number 1999"))
    }

    @Test func growsThroughRegions() throws {
        let buffer = ColumnBuffer(.decimal(precision: 38, scale: 0))
        for value in 0..<200_000 { try buffer.append(integer: Int128(value)) }
        try buffer.appendNull()
        #expect(buffer.datum(row: 199_999, type: .decimal(precision: 38, scale: 0)) == .integer(199_999))
        #expect(buffer.datum(row: 0, type: .decimal(precision: 38, scale: 0)) == .integer(0))
        #expect(buffer.isNull(200_000))
        buffer.removeAll()
        #expect(buffer.isEmpty && !buffer.hasNulls)
    }

    @Test func batchesOfRows() throws {
        let batch = ColumnBatch(types: [.integer, .varchar(5), .interval, .double])
        let row: [Datum] = [.integer(1), .text("x"), .interval(Interval(months: -1, microseconds: -5)), .double(0.5)]
        try batch.append(row)
        try batch.append([.null, .null, .null, .null])
        #expect(batch.rowCount == 2)
        #expect(batch.row(0) == row)
        #expect(batch.row(1) == [.null, .null, .null, .null])
    }
}
