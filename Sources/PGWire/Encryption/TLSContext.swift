import COpenSSL
import SQLTypes

/// What the encrypted connections of a server, or of one client, have in common: certificate, key, trust. Immutable
/// once made, so safe from any thread (OpenSSL counts references to it with atomics).
final class TLSContext: @unchecked Sendable {  // immutable after init
    fileprivate let context: OpaquePointer
    private let isServer: Bool
    /// Of the server, where its certificate must say so.
    private var expectedHost: String?

    private init(_ method: OpaquePointer?, isServer: Bool) throws {
        guard let made = SSL_CTX_new(method) else { throw TLSContext.failure("could not set up TLS") }
        context = made
        self.isServer = isServer
        rb_ssl_require_tls12(context)
        rb_ssl_ask_nothing(context)
    }
    deinit { SSL_CTX_free(context) }

    /// - Parameters: PEM files, the chain with the server's own certificate first.
    static func server(chain: String, key: String) throws -> TLSContext {
        let made = try TLSContext(TLS_server_method(), isServer: true)
        guard SSL_CTX_use_certificate_chain_file(made.context, chain) == 1,
            SSL_CTX_use_PrivateKey_file(made.context, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(made.context) == 1
        else {
            throw SQLError(
                .invalidParameterValue, "could not load the TLS certificate or key: \(reason() ?? "no reason given")")
        }
        return made
    }

    static func client(_ address: ServerAddress) throws -> TLSContext {
        let made = try TLSContext(TLS_client_method(), isServer: false)
        switch address.encryption {
        case .verifyFull: made.expectedHost = address.host
        case .verifyAuthority: break
        default:
            SSL_CTX_set_verify(made.context, SSL_VERIFY_NONE, nil)
            return made
        }
        SSL_CTX_set_verify(made.context, SSL_VERIFY_PEER, nil)
        let isTrustKnown =
            if let file = address.rootCertificate {
                SSL_CTX_load_verify_locations(made.context, file, nil) == 1
            } else {
                SSL_CTX_set_default_verify_paths(made.context) == 1
            }
        if !isTrustKnown { throw failure("could not load the root certificates") }
        return made
    }

    /// - Parameter name: of the server, for clients.
    func makeSession(name: String? = nil) throws -> TLSSession {
        guard let ssl = SSL_new(context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            throw TLSContext.failure("could not start TLS")
        }
        SSL_set_bio(ssl, input, output)
        if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
        if let name, !TLSContext.isAddress(name) { rb_ssl_set_server_name(ssl, name) }
        if let expectedHost { try expect(expectedHost, ssl) }
        return TLSSession(ssl, input: input, output: output)
    }

    private func expect(_ host: String, _ ssl: OpaquePointer) throws {
        let isSet =
            TLSContext.isAddress(host)
            ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 : SSL_set1_host(ssl, host) == 1
        if !isSet { throw TLSContext.failure("could not check the server's name") }
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    }

    static func failure(_ what: String) -> SQLError {
        SQLError("08001", reason().map { "\(what): \($0)" } ?? what)
    }

    /// The oldest error of this thread in words; the others are forgotten.
    static func reason() -> String? {
        let code = ERR_get_error()
        ERR_clear_error()
        if code == 0 { return nil }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
