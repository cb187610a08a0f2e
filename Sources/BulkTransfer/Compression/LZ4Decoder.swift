/// LZ4 blocks without a frame. Output grows with what comes out, up to a limit.
enum LZ4Decoder {
    static func decode(_ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8], limit: Int) -> Bool {
        var index = 0
        func length(_ start: Int) -> Int? {
            if start < 15 { return start }
            var total = 15
            while index < input.count {
                let byte = Int(input[index])
                index += 1
                total += byte
                if byte < 255 { return total }
            }
            return nil
        }
        while index < input.count {
            let token = Int(input[index])
            index += 1
            guard let literals = length(token >> 4), literals <= input.count - index,
                literals <= limit - output.count
            else { return false }
            output.append(contentsOf: input[index..<index + literals])
            index += literals
            // The last sequence has no match.
            if index == input.count { return true }
            guard index + 2 <= input.count else { return false }
            let distance = Int(input[index]) | Int(input[index + 1]) << 8
            index += 2
            guard let count = length(token & 15), distance > 0, distance <= output.count,
                count + 4 <= limit - output.count
            else { return false }
            let start = output.count - distance
            for place in start..<start + count + 4 { output.append(output[place]) }
        }
        return false
    }
}
