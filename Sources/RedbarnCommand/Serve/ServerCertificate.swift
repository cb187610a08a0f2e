import Glibc
import PGWire
import SQLTypes

/// A certificate of the server's own, made at the first start and kept in the warehouse's `server` folder.
enum ServerCertificate {
    /// - Parameter host: where the server listens.
    static func files(in directory: String, host: String?) throws -> (chain: String, key: String) {
        let folder = directory + "/server"
        let chain = folder + "/server.crt"
        let key = folder + "/server.key"
        if access(chain, R_OK) == 0 && access(key, R_OK) == 0 { return (chain, key) }
        mkdir(folder, 0o700)
        try OwnCertificate.make(chain: chain, key: key, host: host)
        return (chain, key)
    }
}
