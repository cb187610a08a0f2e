// swift-tools-version: 6.2
import PackageDescription

// Release builds use the settings measured in docs/design/0002-build-settings.md. They are "unsafe flags" to SwiftPM,
// so REDBARN_PORTABLE=1 leaves them out: for use as a dependency, or for a CPU without AVX2.
let portable = Context.environment["REDBARN_PORTABLE"] == "1"
#if arch(x86_64)
let architecture = ["-Xcc", "-march=\(Context.environment["REDBARN_ARCH"] ?? "x86-64-v3")"]
#else
let architecture: [String] = []
#endif
let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]
let optimized: [SwiftSetting] =
    features
    + (portable
        ? []
        : [
            .unsafeFlags(
                ["-enforce-exclusivity=unchecked", "-cross-module-optimization"] + architecture,
                .when(configuration: .release)),
            .unsafeFlags(architecture, .when(configuration: .debug)),
        ])

func library(_ name: String, _ dependencies: [Target.Dependency], documents: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: ["README.md"] + documents, swiftSettings: optimized)
}

let package = Package(
    name: "redbarn",
    products: [
        .executable(name: "redbarn", targets: ["RedbarnCommand"]),
        .library(name: "Redbarn", targets: ["Redbarn"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .target(name: "CIntrinsics"),
        .target(name: "CSignals"),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CSnappy", providers: [.apt(["libsnappy-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBzip2", providers: [.apt(["libbz2-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CTerminal", dependencies: ["CEdit"]),
        library("Platform", ["CIntrinsics", "CSignals", "COpenSSL"]),
        library("SQLTypes", ["Platform"]),
        library("ColumnVectors", ["SQLTypes"]),
        library("SQLSyntax", ["SQLTypes"]),
        library("Catalog", ["SQLTypes"]),
        library("QueryPlan", ["Catalog"]),
        library("Binder", ["QueryPlan", "SQLSyntax"]),
        library("Optimizer", ["QueryPlan"]),
        library("ColumnStore", ["ColumnVectors", "Catalog", "CIntrinsics", "CZstd", "CSnappy"]),
        library(
            "VectorEngine", ["ColumnVectors", "QueryPlan", "ColumnStore", "CIntrinsics"],
            documents: ["Functions", "Operators/Join", "Operators/Aggregate", "Operators/Sort", "Operators/Window", "Spill"]
                .map { $0 + "/README.md" }),
        library("Cluster", ["VectorEngine"]),
        library(
            "BulkTransfer",
            [
                "ColumnVectors", "ColumnStore", "Catalog", "CIntrinsics", "CZstd", "CZlib", "CBzip2", "CSnappy",
                "CCurl",
            ]),
        library("Workload", ["Platform"]),
        library(
            "Warehouse",
            [
                "Workload", "BulkTransfer", "Cluster", "Optimizer", "Binder", "SQLSyntax",
            ], documents: ["SystemRelations/README.md"]),
        library("Redbarn", ["Warehouse"]),
        library("PGWire", ["Warehouse", "COpenSSL"]),
        .executableTarget(
            name: "RedbarnCommand",
            dependencies: [
                "Warehouse", "PGWire", "CEdit", "CTerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md"],
            swiftSettings: optimized),
        library("TestSupport", ["Warehouse"]),
        .executableTarget(
            name: "redbarn-slt",
            dependencies: ["TestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/RedbarnSLT",
            exclude: ["README.md"],
            swiftSettings: optimized),
        // Not a product: built with the tests, so that the example keeps working.
        .executableTarget(
            name: "embedding-example", dependencies: ["Redbarn"], path: "Examples/Embedding/Sources/Embedding",
            swiftSettings: optimized),
        // test targets
        .testTarget(name: "PGWireTests", dependencies: ["PGWire"]),
        .testTarget(name: "TidyTests"),
        .testTarget(name: "VectorEngineTests", dependencies: ["VectorEngine"]),
        .testTarget(name: "OptimizerTests", dependencies: ["Optimizer", "Binder", "SQLSyntax"]),
        .testTarget(
            name: "BulkTransferTests", dependencies: ["BulkTransfer", "TestSupport", "CZlib", "CZstd", "CBzip2"],
            exclude: ["Fixtures"]),
        .testTarget(name: "BinderTests", dependencies: ["Binder"]),
        .testTarget(name: "DurabilityTests", dependencies: ["TestSupport"]),
        .testTarget(name: "WarehouseTests", dependencies: ["TestSupport", "PGWire"]),
        .testTarget(name: "ColumnStoreTests", dependencies: ["ColumnStore"]),
        .testTarget(name: "SQLSyntaxTests", dependencies: ["SQLSyntax", "SQLTypes"]),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
        .testTarget(name: "WorkloadTests", dependencies: ["Workload"]),
        .testTarget(name: "SQLTypesTests", dependencies: ["SQLTypes", "ColumnVectors"]),
    ]
)
