/// LZO1X: the format of lzop's blocks. Nothing outside of the two buffers is read or written, whatever the bytes say.
struct LZODecoder {
    private let source: UnsafePointer<UInt8>
    private let sourceCount: Int
    private let target: UnsafeMutablePointer<UInt8>
    private let targetCount: Int
    private var from = 0
    private var to = 0

    /// The block, and the buffer for exactly as many bytes as it stands for.
    private init(
        _ source: UnsafePointer<UInt8>, _ sourceCount: Int, _ target: UnsafeMutablePointer<UInt8>, _ targetCount: Int
    ) {
        self.source = source
        self.sourceCount = sourceCount
        self.target = target
        self.targetCount = targetCount
    }

    /// False when the block is damaged, or does not give exactly so many bytes.
    static func decode(
        _ source: UnsafePointer<UInt8>, _ sourceCount: Int, _ target: UnsafeMutablePointer<UInt8>, _ targetCount: Int
    ) -> Bool {
        var decoder = LZODecoder(source, sourceCount, target, targetCount)
        return decoder.run() && decoder.to == targetCount && decoder.from == sourceCount
    }

    private mutating func next() -> Int? {
        guard from < sourceCount else { return nil }
        defer { from &+= 1 }
        return Int(source[from])
    }

    /// A length whose bits in the instruction are all zero goes on: 255 for each zero byte, then the last byte.
    private mutating func length(_ bits: Int, _ base: Int) -> Int? {
        if bits > 0 { return bits }
        var total = base
        while let byte = next() {
            if byte > 0 { return total &+ byte }
            total &+= 255
            // More than the block can hold: no need to go on.
            if total > targetCount &+ 255 { return nil }
        }
        return nil
    }

    private mutating func literals(_ count: Int) -> Bool {
        guard count <= sourceCount &- from, count <= targetCount &- to else { return false }
        (target + to).update(from: source + from, count: count)
        from &+= count
        to &+= count
        return true
    }

    private mutating func match(_ distance: Int, _ count: Int) -> Bool {
        guard distance <= to, count <= targetCount &- to else { return false }
        let start = target + (to &- distance)
        let out = target + to
        if distance >= count {
            out.update(from: start, count: count)
        } else {
            for index in 0..<count { out[index] = start[index] }
        }
        to &+= count
        return true
    }

    private mutating func run() -> Bool {
        // Literals after the last instruction: 1 ... 3, or 4 for a run of literals. Short matches depend on it.
        var state = 0
        if let first = next() {
            if first > 17 {
                guard literals(first - 17) else { return false }
                state = min(first - 17, 4)
            } else {
                from = 0
            }
        }
        while let instruction = next() {
            if instruction < 16 && state == 0 {
                guard let count = length(instruction, 15), literals(count + 3) else { return false }
                state = 4
                continue
            }
            guard let low = step(instruction, state) else { return false }
            if low < 0 { return true }
            guard literals(low) else { return false }
            state = low
        }
        return false
    }

    /// A match. Returns how many literals follow it, -1 for the end of the block, nil for damage.
    private mutating func step(_ instruction: Int, _ state: Int) -> Int? {
        if instruction >= 64 {
            guard let high = next() else { return nil }
            let count = instruction >= 128 ? 5 + (instruction >> 5 & 3) : 3 + (instruction >> 5 & 1)
            return match(high << 3 + (instruction >> 2 & 7) + 1, count) ? instruction & 3 : nil
        }
        if instruction < 16 {
            guard let high = next() else { return nil }
            let distance = high << 2 + instruction >> 2 + 1
            return (state == 4 ? match(distance + 2048, 3) : match(distance, 2)) ? instruction & 3 : nil
        }
        let isNear = instruction >= 32
        guard let count = isNear ? length(instruction & 31, 31) : length(instruction & 7, 7), let low = next(),
            let high = next()
        else { return nil }
        let word = high << 8 | low
        if isNear { return match(word >> 2 + 1, count + 2) ? word & 3 : nil }
        let distance = 16_384 + (instruction & 8) << 11 + word >> 2
        if distance == 16_384 { return -1 }
        return match(distance, count + 2) ? word & 3 : nil
    }
}
