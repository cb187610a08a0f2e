import ColumnVectors
import QueryPlan
import SQLTypes

/// Measures the sort keys that pass: exact bounds of integers, lengths and the common prefix of strings. With them
/// the first bits of the keys tell rows apart wherever the keys begin to differ.
final class SortKeySurvey: Step {
    private let keys: [Register]
    private var states: [State] = []

    private struct Facts {
        var lower = Int128.max
        var upper = Int128.min
        var hasNulls = false
        /// The first string; nil before it.
        var model: [UInt8]?
        /// How many first bytes all strings share with the model.
        var shared = 0
        var longest = 0
    }
    private final class State {
        var facts: [Facts]
        init(_ count: Int) { facts = Array(repeating: Facts(), count: count) }
    }

    init(_ keys: [Register]) {
        self.keys = keys
        super.init(inputs: keys.map(\.index), outputs: [])
    }

    override func prepare(workers: Int) throws { states = (0..<workers).map { _ in State(keys.count) } }

    override func run(_ batch: Batch) throws {
        let state = states[batch.worker]
        for (index, key) in keys.enumerated() {
            let validity = batch.validity(key.index)
            if ValidityBytes.nullCount(validity, batch.count) > 0 { state.facts[index].hasNulls = true }
            switch key.physical {
            case .uint8: cover(batch, key, UInt8.self, validity, &state.facts[index])
            case .uint16: cover(batch, key, UInt16.self, validity, &state.facts[index])
            case .int32: cover(batch, key, Int32.self, validity, &state.facts[index])
            case .int64: cover(batch, key, Int64.self, validity, &state.facts[index])
            case .int128: cover(batch, key, Int128.self, validity, &state.facts[index])
            case .float64: break
            case .string: coverStrings(batch, key, validity, &state.facts[index])
            }
        }
    }

    private func cover<Value: FixedWidthInteger>(
        _ batch: Batch, _ key: Register, _: Value.Type, _ validity: UnsafePointer<UInt8>?, _ facts: inout Facts
    ) {
        let values = batch.values(key.index, Value.self)
        var low = Value.max, high = Value.min
        for i in 0..<batch.count where validity.map({ $0[i] != 0 }) ?? true {
            low = min(low, values[i])
            high = max(high, values[i])
        }
        if low > high { return }
        facts.lower = min(facts.lower, Int128(low))
        facts.upper = max(facts.upper, Int128(high))
    }

    private func coverStrings(
        _ batch: Batch, _ key: Register, _ validity: UnsafePointer<UInt8>?, _ facts: inout Facts
    ) {
        let values = batch.values(key.index, StringView.self)
        for i in 0..<batch.count where validity.map({ $0[i] != 0 }) ?? true {
            let view = key.trailingBlanks ? values[i].trimmed : values[i]
            let length = Int(view.count)
            facts.longest = max(facts.longest, length)
            guard let model = facts.model else {
                facts.model = Array(view.bytes)
                facts.shared = length
                continue
            }
            if facts.shared == 0 { continue }
            let most = min(facts.shared, length)
            var same = 0
            model.withUnsafeBufferPointer { while same < most && view.pointer[same] == $0[same] { same &+= 1 } }
            facts.shared = same
        }
    }

    /// The keys' first 64 bits, once all rows have passed.
    func layout(_ items: [SortItem]) -> SortKeyLayout {
        let fields = keys.indices.map { index in
            let all = states.map { $0.facts[index] }
            let lower = all.map(\.lower).min() ?? 0, upper = all.map(\.upper).max() ?? 0
            let strings = all.filter { $0.model != nil }
            var shared = strings.map(\.shared).min() ?? 0
            if let first = strings.first?.model {
                for other in strings.dropFirst() {
                    let same = zip(first, other.model ?? []).prefix { $0 == $1 }.count
                    shared = min(shared, same)
                }
            }
            return SortField(
                form: keys[index], lower: lower > upper ? 0 : lower, upper: lower > upper ? 0 : upper,
                nullable: all.contains(where: \.hasNulls), descending: items[index].descending,
                nullsFirst: items[index].nullsFirst, skip: shared, longest: strings.map(\.longest).max() ?? 0,
                saturates: true)
        }
        return SortKeyLayout(fields, limit: 64)
    }
}

/// Computes the first 64 bits of the rows' normalised keys.
final class SortWord: Step {
    private let keys: [Register]
    private let layout: SortKeyLayout
    private let word: Register

    init(_ keys: [Register], _ layout: SortKeyLayout, word: Register) {
        self.keys = keys
        self.layout = layout
        self.word = word
        super.init(inputs: keys.map(\.index), outputs: [word.index])
    }

    override func run(_ batch: Batch) throws {
        let words = batch.output(word.index, UInt64.self)
        words.update(repeating: 0, count: batch.count)
        let columns = keys.map {
            (data: UnsafeRawPointer(batch.slots[$0.index].data), validity: batch.validity($0.index))
        }
        layout.encode(columns, start: 0, count: batch.count, scratch: batch.hashes, out: [words])
    }
}

/// Remembers words, for borders between equal parts.
final class WordSample: Step {
    private let word: Register
    private var states: [State] = []
    private static let most = 1 << 16

    private final class State { var words: [UInt64] = [] }

    init(_ word: Register) {
        self.word = word
        super.init(inputs: [word.index], outputs: [])
    }

    override func prepare(workers: Int) throws { states = (0..<workers).map { _ in State() } }

    override func run(_ batch: Batch) throws {
        let from = batch.values(word.index, UInt64.self)
        let state = states[batch.worker]
        let step = max(batch.count / 64, 1)
        for i in stride(from: 0, to: batch.count, by: step) where state.words.count < WordSample.most {
            state.words.append(from[i])
        }
    }

    /// Ascending words that cut the rows into about equal parts.
    func borders(_ partitions: Int) -> [UInt64] {
        let sorted = states.flatMap(\.words).sorted()
        var borders: [UInt64] = []
        for index in 1..<partitions where !sorted.isEmpty {
            let border = sorted[sorted.count * index / partitions]
            if borders.last != border { borders.append(border) }
        }
        return borders
    }
}
