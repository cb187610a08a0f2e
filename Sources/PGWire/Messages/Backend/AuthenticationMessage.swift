import SQLTypes

/// `R`: what the client has to prove, or that it has.
enum AuthenticationMessage: BackendMessage {
    case ok
    case cleartextPassword
    case md5Password(salt: [UInt8])
    /// - Parameter isOpen: without the empty name at the end of the list.
    case sasl(mechanisms: [String], isOpen: Bool = false)
    case saslContinue([UInt8])
    case saslFinal([UInt8])

    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "R")) {
            switch self {
            case .ok: buffer.append(int32: 0)
            case .cleartextPassword: buffer.append(int32: 3)
            case .md5Password(let salt):
                buffer.append(int32: 5)
                buffer.append(salt)
            case .sasl(let mechanisms, let isOpen):
                buffer.append(int32: 10)
                for mechanism in mechanisms { buffer.append(cString: mechanism) }
                if !isOpen { buffer.append(0 as UInt8) }
            case .saslContinue(let data):
                buffer.append(int32: 11)
                buffer.append(data)
            case .saslFinal(let data):
                buffer.append(int32: 12)
                buffer.append(data)
            }
        }
    }
}
