@main struct RedbarnCommand { static func main() {} }
