import SQLTypes
import Warehouse

/// The rows of COPY FROM STDIN as they arrive: the session's thread takes messages from its input until the client says
/// that it is done, or fails. What comes after an error is left to the conversation, which ignores it.
final class CopyInReader: ClientRowSource {
    private let input: any ClientInput
    private let interruption: Interruption
    private var binary: BinaryRowTranslator?
    private var hasEnded = false

    init(input: any ClientInput, interruption: Interruption, binary: BinaryRowTranslator?) {
        self.input = input
        self.interruption = interruption
        self.binary = binary
    }

    func next() throws -> [UInt8]? {
        if hasEnded { return nil }
        if interruption.isRequested {
            throw SQLError(.queryCanceled, "canceling statement due to user request")
        }
        switch input.poll() {
        case nil: return []
        case .closed: throw SQLError("08006", "connection to client lost")
        case .ended(let reason): throw reason
        case .frame(let frame): return try receive(frame)
        }
    }

    private func receive(_ frame: Frame) throws -> [UInt8]? {
        switch frame.type {
        case UInt8(ascii: "d"): return try binary?.translate(frame.body) ?? frame.body
        case UInt8(ascii: "c"):
            hasEnded = true
            try binary?.finish()
            return nil
        case UInt8(ascii: "f"):
            hasEnded = true
            var reader = MessageReader(frame.body)
            throw SQLError(.queryCanceled, "COPY from stdin failed: \(try reader.string())")
        case UInt8(ascii: "H"), UInt8(ascii: "S"): return []
        default:
            throw ProtocolViolation.error(
                "unexpected message type 0x\(String(frame.type, radix: 16)) during COPY from stdin")
        }
    }
}
