/// Finds keywords by their bytes: open addressing over a hash that the lexer computes while it scans a word.
struct KeywordTable: Sendable {
    static let shared = KeywordTable()

    private static let slotCount = 2_048
    /// Index into `all`, 0 for an empty slot (index 0 is `Keyword.none`).
    private let slots: [UInt16]
    private let hashes: [UInt32]
    private let spellings: [[UInt8]]
    private let all: [Keyword]

    private init() {
        let all = Keyword.allCases
        var slots = [UInt16](repeating: 0, count: Self.slotCount)
        var hashes: [UInt32] = []
        var spellings: [[UInt8]] = []
        for (index, keyword) in all.enumerated() {
            let bytes = Array(keyword.rawValue.utf8)
            let hash = bytes.reduce(Self.hashSeed) { Self.mix($0, $1) }
            hashes.append(hash)
            spellings.append(bytes)
            if bytes.isEmpty { continue }
            var slot = Int(hash) & (Self.slotCount - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
            slots[slot] = UInt16(index)
        }
        self.slots = slots
        self.hashes = hashes
        self.spellings = spellings
        self.all = all
    }

    static let hashSeed: UInt32 = 17

    /// One step of the hash; letters count alike in both cases.
    @inline(__always)
    static func mix(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash &* 31) &+ UInt32(byte | 0x20) }

    func find(_ word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Keyword {
        var slot = Int(hash) & (Self.slotCount - 1)
        while true {
            let index = Int(slots[slot])
            if index == 0 { return .none }
            if hashes[index] == hash, Self.matches(word, spellings[index]) { return all[index] }
            slot = (slot + 1) & (Self.slotCount - 1)
        }
    }

    private static func matches(_ word: UnsafeBufferPointer<UInt8>, _ spelling: [UInt8]) -> Bool {
        guard word.count == spelling.count else { return false }
        for index in 0..<word.count where ASCII.lower(word[index]) != spelling[index] { return false }
        return true
    }
}
