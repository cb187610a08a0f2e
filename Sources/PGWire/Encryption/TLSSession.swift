import COpenSSL
import Platform
import SQLTypes

/// One connection's encryption, without input or output of its own: takes what came from the socket, gives what is to
/// go there. Read by the thread that has the connection, written by that or by a worker on its behalf.
final class TLSSession: @unchecked Sendable {  // everything of OpenSSL's is guarded by `lock`
    private let lock = Lock(())
    private let ssl: OpaquePointer
    /// Owned by `ssl`.
    private let input: OpaquePointer, output: OpaquePointer

    init(_ ssl: OpaquePointer, input: OpaquePointer, output: OpaquePointer) {
        self.ssl = ssl
        self.input = input
        self.output = output
    }
    deinit { SSL_free(ssl) }

    enum Progress {
        case done
        /// More has to come from the other side first.
        case wantsInput
        case failed(String)
    }

    /// One step of the handshake; what it has to say waits in ``takeOutput(_:)``.
    func handshake() -> Progress {
        lock.withLock { _ in
            ERR_clear_error()
            return progress(SSL_do_handshake(ssl))
        }
    }

    enum Decrypted {
        case bytes(Int)
        case wantsInput
        /// The other side has ended the connection, or broken it.
        case end
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Decrypted {
        lock.withLock { _ in
            ERR_clear_error()
            var count = 0
            let code = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
            if code == 1 { return .bytes(count) }
            if case .wantsInput = progress(code) { return .wantsInput }
            return .end
        }
    }

    /// Bytes that are decrypted already, or can be without more input.
    var hasBytes: Bool { lock.withLock { _ in SSL_pending(ssl) > 0 || rb_bio_pending(input) > 0 } }

    /// Encrypts all of it; false when the connection is broken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.isEmpty { return true }
        return lock.withLock { _ in
            ERR_clear_error()
            var count = 0
            return SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 && count == bytes.count
        }
    }

    func sayGoodbye() {
        lock.withLock { _ in
            ERR_clear_error()
            SSL_shutdown(ssl)
            ERR_clear_error()
        }
    }

    /// Bytes of the socket.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lock.withLock { _ in
            var count = 0
            return BIO_write_ex(input, bytes.baseAddress, bytes.count, &count) == 1 && count == bytes.count
        }
    }

    /// Hands everything that is to go to the socket to `body`, once.
    func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
        lock.withLock { _ in
            var start: UnsafeMutablePointer<CChar>?
            let count = rb_bio_bytes(output, &start)
            if count > 0, let start { body(UnsafeRawBufferPointer(start: start, count: count)) }
            rb_bio_clear(output)
        }
    }

    /// `TLSv1.3`
    var version: String { lock.withLock { _ in SSL_get_version(ssl).map { String(cString: $0) } ?? "TLS" } }

    private func progress(_ code: Int32) -> Progress {
        if code == 1 { return .done }
        if SSL_get_error(ssl, code) == SSL_ERROR_WANT_READ { return .wantsInput }
        let verified = SSL_get_verify_result(ssl)
        if verified != X509_V_OK, let text = X509_verify_cert_error_string(verified) {
            ERR_clear_error()
            return .failed("certificate verify failed: \(String(cString: text))")
        }
        return .failed(TLSContext.reason() ?? "the other side closed the connection")
    }
}
