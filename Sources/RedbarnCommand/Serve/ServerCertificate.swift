import Glibc
import SQLTypes

/// A certificate of the server's own, made at the first start with the openssl command and kept in the warehouse's
/// `server` folder.
enum ServerCertificate {
    static func files(in directory: String) throws -> (chain: String, key: String) {
        let folder = directory + "/server"
        let chain = folder + "/server.crt"
        let key = folder + "/server.key"
        if access(chain, R_OK) == 0 && access(key, R_OK) == 0 { return (chain, key) }
        mkdir(folder, 0o700)
        let mask = umask(0o077)
        defer { umask(mask) }
        let status = run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "3650", "-subj", "/CN=redbarn", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", key, "-out", chain,
        ])
        guard status == 0, access(chain, R_OK) == 0, access(key, R_OK) == 0 else {
            throw SQLError(
                .objectNotInState, "could not make a TLS certificate with the openssl command",
                hint: "Install openssl, give --tls-cert and --tls-key, or use --dev on this machine.")
        }
        return (chain, key)
    }

    /// The command's exit status; -1 when it could not be run.
    private static func run(_ words: [String]) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard let name = words.first, posix_spawnp(&process, name, &actions, nil, arguments, environ) == 0 else {
            return -1
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { if errno != EINTR { return -1 } }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
