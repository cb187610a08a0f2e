// swift-tools-version: 6.2
import PackageDescription

// REDBARN_PORTABLE=1 swift run: SwiftPM refuses the compiler settings of Redbarn's own builds in a dependency.
let package = Package(
    name: "Embedding",
    dependencies: [.package(name: "redbarn", path: "../..")],
    targets: [
        .executableTarget(name: "Embedding", dependencies: [.product(name: "Redbarn", package: "redbarn")])
    ]
)
