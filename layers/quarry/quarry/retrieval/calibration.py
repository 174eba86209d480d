"""Bands per embedding model; written by `make calibrate`, not by hand."""

from quarry.retrieval.bands import Bands, Bin, Calibration

CALIBRATIONS: dict[str, Calibration] = {
    "all-MiniLM-L6-v2": Calibration(
        bands=Bands(likely_good=0.71, analog=0.4, noise=0.3),
        collections=("cranfield", "amazon_google"),
        queries=1328,
        reliability=(
            Bin(low=0.0, high=0.3, hits=669, share=0.044, fitted=0.022),
            Bin(low=0.3, high=0.35, hits=869, share=0.009, fitted=0.024),
            Bin(low=0.35, high=0.4, hits=1210, share=0.046, fitted=0.046),
            Bin(low=0.4, high=0.45, hits=1578, share=0.087, fitted=0.085),
            Bin(low=0.45, high=0.5, hits=1714, share=0.117, fitted=0.11),
            Bin(low=0.5, high=0.55, hits=1631, share=0.156, fitted=0.159),
            Bin(low=0.55, high=0.6, hits=1460, share=0.223, fitted=0.226),
            Bin(low=0.6, high=0.65, hits=1293, share=0.28, fitted=0.276),
            Bin(low=0.65, high=0.7, hits=1142, share=0.314, fitted=0.319),
            Bin(low=0.7, high=0.75, hits=815, share=0.353, fitted=0.354),
            Bin(low=0.75, high=0.8, hits=544, share=0.381, fitted=0.384),
            Bin(low=0.8, high=0.85, hits=245, share=0.489, fitted=0.465),
            Bin(low=0.85, high=1.0, hits=109, share=0.505, fitted=0.613),
        ),
    ),
}
