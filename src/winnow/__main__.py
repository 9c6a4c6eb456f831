from winnow.cli import main

main()
