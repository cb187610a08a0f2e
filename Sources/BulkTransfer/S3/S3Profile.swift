import Platform
import SQLTypes

/// A profile of AWS's tools: keys in one file, settings in another. The files are read when a statement needs them, so
/// that keys which somebody renews are taken up, and nothing depends on them where nobody asks S3.
package struct S3Profile: Sendable {
    var name: String
    /// nil: there is none.
    var credentialsPath: String?
    var configurationPath: String?
    var fileSystem: any FileSystem

    package init(name: String, credentialsPath: String?, configurationPath: String?, fileSystem: any FileSystem) {
        self.name = name
        self.credentialsPath = credentialsPath
        self.configurationPath = configurationPath
        self.fileSystem = fileSystem
    }

    func credentials() throws -> S3Credentials? {
        S3CredentialFile.parse(try S3CredentialFile.text(credentialsPath, fileSystem))[name]
    }
    func region() throws -> String? {
        S3CredentialFile.sections(try S3CredentialFile.text(configurationPath, fileSystem))[name]?["region"]
    }
}
